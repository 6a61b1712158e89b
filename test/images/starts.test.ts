// Runs in test:all only: it starts containers.
// Runs last: CI builds the images meanwhile.
/** The benchmark of images (P22) can be carried out, small, where they are. */
import t from 'tap'
import { imageStarts } from '../../bench/p22-images.ts'
import { imageEngine } from '../support/containers.ts'
import { carryOutAll } from '../support/small-benches.ts'

t.setTimeout(500_000)
const { skip } = await imageEngine('agent')
const { WATCHPOST_IMAGES = '' } = process.env

carryOutAll([imageStarts], { skip, env: { WATCHPOST_IMAGES } })
