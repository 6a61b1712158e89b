/** One message about many checks, in words. Pure. */
import type { Speech } from '../../platform/web/html/speech.ts'
import type { AlertEvent } from './alert-event.ts'
import { insteadOfInWords, kindOf, locationNameOf, type Message, type MessageKind } from './message.ts'

/** Each check once, with what happened to it last. */
type Many = {
  gather: string
  members: readonly AlertEvent[]
  failing: readonly AlertEvent[]
  degraded: readonly AlertEvent[]
  recovered: readonly AlertEvent[]
  /** Of what was told of before under the same; 0 where some of these are not well. */
  stillFailing: number
}

type Given = { gather: string; events: readonly AlertEvent[]; stillFailing: number }

/** Null: it is one check, and all that there is to say of it is said by its own message. */
export const manyOf = ({ gather, events, stillFailing }: Given): Many | null => {
  const last = new Map(events.map((event) => [event.checkId, event]))
  const members = [...last.values()].sort(byUrgency)
  const of = (kind: MessageKind) => members.filter(({ alertType }) => kindOf(alertType) === kind)
  const [failing, degraded, recovered] = [of('failure'), of('degraded'), of('recovery')]
  const isOver = failing.length + degraded.length === 0
  const remaining = isOver ? stillFailing : 0
  if (members.length === 1 && (recovered.length === 0 || remaining === 0)) return null
  return { gather, members, failing, degraded, recovered, stillFailing: remaining }
}

const ranks = { CRITICAL: 0, NORMAL: 1, LOW: 2 }

const byUrgency = (a: AlertEvent, b: AlertEvent): number =>
  ranks[a.severity] - ranks[b.severity] || (a.checkName < b.checkName ? -1 : 1)

/** Whoever keeps one incident for all of them ends it when the last one is well. */
const kindOfMany = ({ failing, degraded, stillFailing }: Many): MessageKind => {
  if (failing.length > 0) return 'failure'
  return degraded.length > 0 || stillFailing > 0 ? 'degraded' : 'recovery'
}

export const messageOfMany = (
  many: Many,
  { id, link, speech }: { id: string; link: string; speech: Speech },
): Message => {
  const { gather, members, failing, degraded, recovered } = many
  const first = members[0] as AlertEvent
  const [about = first] = [...failing, ...degraded, ...recovered]
  return {
    id,
    speech,
    event: {
      ...about,
      checkDescription: null,
      severity: first.severity,
      at: Math.max(...members.map(({ at }) => at)),
    },
    kind: kindOfMany(many),
    title: titleOf(many, speech),
    reason: null,
    link,
    answerLink: null,
    cause: null,
    locationName: null,
    facts: factsOf(many, speech),
    notice: null,
    gather,
    members,
  }
}

const titleOf = ({ failing, degraded, recovered, stillFailing }: Many, { counted, text }: Speech): string => {
  const count = (those: readonly unknown[], forms: Parameters<Speech['counted']>[1]): string[] =>
    those.length === 0 ? [] : [counted(those.length, forms)]
  const parts = [
    ...count(failing, { one: '# check has failed', other: '# checks have failed' }),
    ...count(degraded, { one: '# check is degraded', other: '# checks are degraded' }),
    ...count(recovered, { one: '# check has recovered', other: '# checks have recovered' }),
    ...(stillFailing === 0
      ? []
      : [counted(stillFailing, { one: '# still is not well', other: '# still are not well' })]),
  ]
  return parts.reduce((all, part) => text('{0}, {1}', all, part))
}

/** Names beside a title; a mail and a webhook name all. */
const mostNamed = 100

const factsOf = (many: Many, speech: Speech): Message['facts'] => {
  const { failing, degraded, recovered, members, stillFailing } = many
  const { text, instant } = speech
  const [first] = members
  const facts: Array<[string, string | null]> = [
    [text('In common'), commonOf(many, speech)],
    [text('Could not be delivered'), first === undefined ? null : insteadOfInWords(first)],
    [text('Failing'), named(failing, speech)],
    [text('Degraded'), named(degraded, speech)],
    [text('Recovered'), named(recovered, speech)],
    [text('Still not well'), stillFailing === 0 ? null : String(stillFailing)],
    [text('Since'), instant(Math.min(...members.map(({ failingSince, at }) => failingSince || at)))],
  ]
  return facts.flatMap(([label, value]) => (value === null ? [] : [{ label, value }]))
}

const named = (those: readonly AlertEvent[], { counted }: Speech): string | null => {
  if (those.length === 0) return null
  const names = those
    .slice(0, mostNamed)
    .map(({ checkName }) => checkName)
    .join(', ')
  const more = those.length - mostNamed
  return more > 0 ? `${names}, ${counted(more, { one: 'and # more', other: 'and # more' })}` : names
}

/** What `gather` names (notifications/storm-rules.ts, notifications/gathering.ts). */
const commonOf = ({ gather, members }: Many, speech: Speech): string | null => {
  const { text } = speech
  const [by, ...rest] = gather.replace(/^storm /, '').split(' ')
  const value = rest.join(' ')
  switch (by) {
    case 'host':
      return text('Host {0}', value)
    case 'location':
      return text('Location {0}', locationNameOf(value, speech))
    case 'group':
      return text('Group {0}', members[0]?.groupName ?? value)
    case 'tag':
      return text('Tag {0}', value)
    default:
      return null
  }
}
