/** The script of the dashboard's pages. They are whole without it. */
import { assetOf } from '../../platform/web/html/assets.ts'

export const island = assetOf(new URL('dashboard.js', import.meta.url))
