// Runs on both engines in test:all: its statements run in no other file.
import type { Test } from 'tap'
import { announcementTick } from '../../../../control-plane/communication/announcements/announcement-tick.ts'
import { maintenanceNoticesTick } from '../../../../control-plane/communication/maintenance-windows/notices-tick.ts'
import { settleMs } from '../../../../control-plane/communication/status-page-subscriptions/announce.ts'
import { mailTick } from '../../../../control-plane/platform/services/mail/mail-tick.ts'
import { eachEngine, type TestApp } from '../../../support/app.ts'
import { type Mailbox, withMailbox } from '../../../support/mailbox.ts'
import { makePage, subscribeVerified } from '../../../support/status-page.ts'

const minuteMs = 60_000

type World = { plane: TestApp; box: Mailbox; windowId: number; pageId: string }

/** A window of an hour that starts in two hours, shown on a page with one subscriber. */
const eachWindow = (
  name: string,
  { visibility = {}, window = {} }: { visibility?: object; window?: object },
  body: (t: Test, world: World) => Promise<void>,
): void => {
  eachEngine(name, async (t, plane) => {
    const box = await withMailbox(t, plane)
    const { pageId } = await makePage(plane)
    await subscribeVerified(plane, pageId, ['ada@example.com'])
    const at = (minutes: number) => new Date(plane.app.clock.now() + minutes * minuteMs).toISOString()
    const made = await plane.call('POST', '/v1/maintenance-windows', {
      body: {
        name: 'New racks',
        startsAt: at(120),
        endsAt: at(180),
        repeatUnit: null,
        statusPageVisibility: {
          enabled: true,
          affectAllServices: true,
          statusPageIds: [pageId],
          ...visibility,
        },
        ...window,
      },
    })
    if (made.status !== 201) throw new Error(made.text)
    await body(t, { plane, box, windowId: made.body.id, pageId })
  })
}

/** Minutes pass, looked at in steps of ten by two control planes at once; then mails are sent. */
const pass = async ({ plane }: World, minutes: number): Promise<void> => {
  for (let passed = 0; passed <= minutes; passed += 10) {
    await Promise.all([maintenanceNoticesTick(plane.app), maintenanceNoticesTick(plane.app)])
    plane.advance(settleMs)
    await announcementTick(plane.app)
    await mailTick(plane.app)
    if (passed < minutes) plane.advance(10 * minuteMs - settleMs)
  }
}

const subjects = ({ box }: World) => box.mails.map(({ subject }) => subject)
const page = '[Acme status]'

eachWindow(
  'subscribers are reminded, told of the start and of the end, each once',
  { visibility: { reminderMinutesBefore: [60], notifyOnStart: true, notifyOnEnd: true } },
  async (t, world) => {
    await pass(world, 40)
    t.strictSame(subjects(world), [])
    await pass(world, 30)
    t.strictSame(subjects(world), [`${page} Maintenance planned: New racks`])
    t.match(world.box.mails[0]?.text, 'From 1 Jan 2026, 02:00 UTC to 1 Jan 2026, 03:00 UTC')
    await pass(world, 200)
    t.strictSame(subjects(world), [
      `${page} Maintenance planned: New racks`,
      `${page} Maintenance has begun: New racks`,
      `${page} Maintenance is over: New racks`,
    ])
  },
)

eachWindow('a window that wishes nothing tells nothing', {}, async (t, world) => {
  await pass(world, 240)
  t.strictSame(subjects(world), [])
})

eachWindow(
  'a cancelled maintenance is neither reminded of nor begun',
  { visibility: { reminderMinutesBefore: [60], notifyOnStart: true, notifyOnEnd: true } },
  async (t, world) => {
    const { plane, windowId } = world
    const posted = await plane.call(
      'POST',
      `/v1/maintenance-windows/${windowId}/maintenances/${windowId}-20260101/updates`,
      { body: { status: 'CANCELLED', description: 'Not today.', notifySubscribers: true } },
    )
    t.equal(posted.status, 201, posted.text)
    await pass(world, 240)
    t.strictSame(subjects(world), [`${page} Maintenance cancelled: New racks`])
    t.match(world.box.mails[0]?.text, 'Not today.')
  },
)

eachWindow(
  'every occurrence of a repetition is told',
  { visibility: { notifyOnStart: true }, window: { repeatUnit: 'DAY', repeatInterval: 1 } },
  async (t, world) => {
    await pass(world, 2 * 24 * 60)
    t.strictSame(subjects(world), [
      `${page} Maintenance has begun: New racks`,
      `${page} Maintenance has begun: New racks`,
    ])
  },
)

eachWindow(
  'what became due while nobody was there is told soon after, and not days after',
  { visibility: { notifyOnStart: true, notifyOnEnd: true } },
  async (t, world) => {
    world.plane.advance(125 * minuteMs)
    await pass(world, 0)
    t.strictSame(subjects(world), [`${page} Maintenance has begun: New racks`])
    world.plane.advance(24 * 60 * minuteMs)
    await pass(world, 0)
    t.equal(subjects(world).length, 1)
  },
)
