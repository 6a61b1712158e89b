/** How forms look. */
import { html } from '../../platform/web/html/html.ts'

export const formStyle = html`
form{margin:0}
label{display:block;font-weight:600;font-size:15px;margin-top:16px}
.hint{display:block;font-weight:400;font-size:14px;color:var(--quiet)}
input:not([type=checkbox]):not([type=radio]),select,textarea{display:block;width:100%;font:inherit;color:inherit;background:var(--card);border:1px solid var(--quiet);border-radius:8px;padding:9px 12px;margin-top:4px;min-height:44px}
.narrow{max-width:460px}
.narrow h1{font-size:22px;margin-bottom:6px}
.wrong{background:var(--fail-back);color:var(--fail);border-radius:8px;padding:10px 14px;margin-top:14px}
button.second{color:var(--link);background:none;border:1px solid var(--line)}
.row{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;justify-content:space-between}
.or{display:flex;align-items:center;gap:12px;color:var(--quiet);font-size:14px;margin:22px 0 6px}
.or::before,.or::after{content:"";flex:1;border-top:1px solid var(--line)}
.wide-action{display:block;width:100%;text-align:center;margin:10px 0 0;padding:10px 18px;min-height:44px}
.skip{position:absolute;left:-9999px}.skip:focus{left:8px;top:8px;background:var(--card);padding:8px}
@media (max-width:560px){main.narrow{padding-top:12px}}
`
