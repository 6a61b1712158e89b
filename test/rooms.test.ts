/** Inside an area, too, imports point one way: from room to room along its declared order, types included. */
import t from 'tap'
import { heldAreas, withoutCircles } from './support/house-areas.ts'
import { largestCircle } from './support/largest-circle.ts'
import { arrowsOf, roomsOf, upwardOf } from './support/rooms.ts'
import { readSources } from './support/sources.ts'
import { unusedExports } from './support/unused-exports.ts'

const sources = readSources()

for (const area of heldAreas)
  t.test(`the rooms of ${area.folder} import each other in one direction`, async (t) => {
    const rooms = roomsOf(area, sources)
    const arrows = arrowsOf(area, sources)
    const upward = upwardOf(area, arrows)
    t.comment(`${area.folder}: ${rooms.length} rooms, ${arrows.length} arrows, ${upward.length} upward`)
    t.strictSame(
      rooms.filter((room) => !area.order.includes(room)),
      [],
      'each room has its place in the order',
    )
    t.strictSame(
      upward.flatMap(({ imports }) => imports),
      [],
      'no import goes up',
    )
    t.ok(rooms.length > 1 && rooms.length <= area.maxRooms, `at most ${area.maxRooms} rooms`)
    t.ok(arrows.length > 0 && arrows.length <= area.maxArrows, `at most ${area.maxArrows} arrows`)
  })

for (const folder of withoutCircles)
  t.test(`files of ${folder} do not import each other in a circle`, async (t) => {
    const circle = largestCircle(folder, sources)
    t.comment(`${folder}: a circle of ${circle.length} files`)
    t.strictSame(circle, [])
  })

t.test('what is exported is imported by another file', async (t) => {
  t.strictSame(unusedExports(sources), [])
})
