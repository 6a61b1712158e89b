/** How dashboards look: rows that are read from afar; below 700 px each check is a card. */
import { html } from '../../platform/web/html/html.ts'

export const boardStyle = html`
.board{max-width:960px;margin:0 auto;padding:0 24px 32px}.board.full{max-width:none;padding:0 32px 32px}
main{max-width:none;padding:0}
.hide{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:-999px}.skip:focus{left:16px;top:8px;background:var(--card);padding:8px 16px}
header{display:flex;flex-wrap:wrap;gap:4px 24px;align-items:baseline;padding:24px 0 4px}
.brand{display:inline-flex;align-items:center;gap:14px;color:inherit;text-decoration:none;min-height:32px}.brand img{max-height:40px;max-width:200px}
h1{font-size:26px;line-height:1.2;font-weight:680;letter-spacing:-.02em}
.about{color:var(--quiet)}
.sum{display:flex;flex-wrap:wrap;align-items:center;gap:8px 28px;margin:16px 0 20px;padding:14px 20px;border-radius:12px;background:var(--tone-back);border-inline-start:5px solid var(--tone)}
.say{font-size:20px;line-height:1.3;font-weight:650;color:var(--tone)}
.counts{display:flex;flex-wrap:wrap;gap:4px 20px;list-style:none;padding:0}.counts li{color:var(--tone);font-size:15px}.counts b{font-size:18px;font-variant-numeric:tabular-nums}
.sum .quiet{margin-inline-start:auto;color:var(--text)}
.told{margin-bottom:20px}
.incident{background:var(--card);border:1px solid var(--line);border-inline-start:4px solid var(--tone);border-radius:10px;padding:10px 18px;margin-top:8px}
.incident summary span{color:var(--quiet);font-size:14px}.incident ol{list-style:none;padding:0;margin-top:8px}.incident li{border-top:1px solid var(--line);padding:8px 0}.incident>p{margin-top:4px}
.heads,.rows summary{display:grid;grid-template-columns:128px minmax(180px,1fr) 164px repeat(3,minmax(84px,108px));gap:4px 20px;align-items:center}
.heads{color:var(--quiet);font-size:13px;padding:0 20px 6px}.heads span:nth-child(n+4),.num{text-align:end}
.rows{list-style:none;padding:0;background:var(--card);border:1px solid var(--line);border-radius:12px;overflow:hidden}
.rows li+li{border-top:1px solid var(--line)}
.rows summary{padding:12px 20px;min-height:56px;list-style:none;font-weight:400}.rows summary::-webkit-details-marker{display:none}
.rows summary:hover{background:var(--none-back)}.rows summary.failing{background:var(--fail-back)}
.rows summary:focus-visible{outline-offset:-3px}
.rows details+details{margin:0}
.state{display:inline-flex;align-items:center;gap:8px;color:var(--tone);font-size:14px;font-weight:600}
.state i{flex:none;width:22px;height:22px;border-radius:50%;background:var(--tone);color:var(--card);font-style:normal;font-size:12px;line-height:22px;text-align:center}
.name b{font-weight:600;font-size:17px}.name .quiet{margin-inline-start:6px}
.tag{display:inline-block;background:var(--code);border-radius:5px;padding:0 7px;font-size:12.5px;line-height:20px;color:var(--none)}
.runs{display:block;width:164px;height:30px;fill:none}
.runs path{stroke-width:3}.r-passing{stroke:var(--p);stroke-width:15!important;stroke-dasharray:3 1}.r-failing{stroke:var(--f);stroke-width:22!important;stroke-dasharray:3 1}.r-degraded{stroke:var(--d)}.r-unknown{stroke:var(--n)}.r-none{stroke:var(--line);stroke-width:3!important;stroke-dasharray:3 1}
.num{font-variant-numeric:tabular-nums;font-size:16px}.num i{display:none}
.rows dl{display:flex;flex-wrap:wrap;gap:6px 32px;padding:4px 20px 14px 168px}.rows dt{color:var(--quiet);font-size:13px}.rows dd{margin:0;font-size:14px}
.rows dd a{display:inline-block;min-height:24px}
.empty{background:var(--card);border:1px dashed var(--line);border-radius:12px;padding:24px;color:var(--quiet)}
.turn{display:flex;flex-wrap:wrap;gap:8px 24px;align-items:center;margin-top:16px}
.turn ul{display:flex;flex-wrap:wrap;gap:6px;list-style:none;padding:0}.turn nav a{display:block;min-width:36px;padding:5px 8px;text-align:center;border:1px solid var(--line);border-radius:8px;background:var(--card);text-decoration:none}
.turn [aria-current]{background:var(--text);color:var(--card);border-color:var(--text)}
.turn p a{display:inline-block;min-height:24px;margin-inline-start:10px}
footer{margin-top:24px;color:var(--quiet);font-size:13px}
.gate{max-width:420px;margin:10vh auto}.gate label{display:block;font-size:14px;margin-top:12px}.gate input{font:inherit;width:100%;min-height:44px;padding:8px 12px;border:1px solid var(--quiet);border-radius:8px;background:var(--back);color:var(--text)}
.gate button{font:inherit;font-weight:600;margin-top:12px;min-height:44px;padding:8px 20px;border:0;border-radius:8px;background:var(--text);color:var(--card);cursor:pointer}.wrong{color:var(--fail);margin-top:6px}
@media(max-width:900px){.heads{display:none}.rows summary{grid-template-columns:repeat(3,1fr);gap:8px 14px}.rows .state{order:2;justify-self:end}.rows .name{order:1;grid-column:span 2}.runs{order:3;grid-column:1/-1;width:240px;height:44px}.num{order:4;text-align:start;font-size:15px;display:inline-flex;flex-wrap:wrap;gap:0 6px}.num i{display:inline;font-style:normal;color:var(--quiet)}.rows dl{padding-inline-start:20px}}
@media(max-width:600px){.board,.board.full{padding:0 14px 24px}.sum .quiet{margin:0}h1{font-size:22px}}
@media print{.turn,footer{display:none}}
`
