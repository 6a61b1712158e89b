/** Every file that a page names. */
import { type Asset, assetOf } from '../../platform/html/assets.ts'
import { island } from '../dashboard/island.ts'

/** The icon of pages that have none of their own. */
export const icon = assetOf(new URL('watchpost.svg', import.meta.url))

export const assets: readonly Asset[] = [icon, island]
