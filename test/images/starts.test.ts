// Runs in test:all only: it starts containers.
// Runs last: CI builds the images meanwhile.
/** The benchmark of images (P22) can be carried out, small, where they are. */
import t from 'tap'
import { carryOutAll } from '../support/carry-out-benches.ts'
import { imageEngine } from '../support/containers.ts'

t.setTimeout(500_000)
const { skip } = await imageEngine('agent')
const { WATCHPOST_IMAGES = '' } = process.env

// By its name: what it is made of loads a whole control plane.
carryOutAll([{ id: 'P22' }], { skip, env: { WATCHPOST_IMAGES } })
