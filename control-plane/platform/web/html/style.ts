/** How pages look: system fonts, two schemes, one column. Colours of text keep a contrast of 4.5:1 and more in both. */
import { html } from './html.ts'

export const style = html`
:root{color-scheme:light dark;--back:#f4f5f7;--card:#fff;--line:#e3e6ea;--text:#171a1f;--quiet:#5b6470;--link:#1657c4;--code:#eef0f3;
--fail:#b42318;--fail-back:#fef2f1;--warn:#935200;--warn-back:#fff7e8;--good:#0a6b42;--good-back:#edfaf3;--none:#4a5361;--none-back:#f0f2f5;
--f:#d92d20;--d:#e9900c;--p:#17a863;--n:#a8b0bb}
@media (prefers-color-scheme:dark){:root{--back:#0e1116;--card:#171b22;--line:#2a313b;--text:#e8ebef;--quiet:#9ba6b3;--link:#7fb2ff;--code:#222832;
--fail:#ff9d94;--fail-back:#2b1718;--warn:#ffc46b;--warn-back:#2a2014;--good:#6fdca6;--good-back:#12261d;--none:#b6bfca;--none-back:#20262e;
--f:#f0564a;--d:#eda33a;--p:#35bd7c;--n:#5d6774}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;overflow-wrap:anywhere}
main{max-width:800px;margin:0 auto;padding:32px 20px 48px}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:20px 24px;margin:0 0 16px}
h1,h2,h3,p,dl,ul,ol,figure{margin:0}
h1{font-size:18px;line-height:1.35;font-weight:600}
h2{font-size:16px;line-height:1.4;font-weight:600;margin-bottom:10px}
h3{font-size:14px;font-weight:600;margin:16px 0 2px}
p+p{margin-top:6px}
a{color:var(--link)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:4px}
code,pre,.log{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:13px}
code{background:var(--code);border-radius:4px;padding:1px 5px;white-space:pre-wrap}
pre{margin:8px 0 0;padding:12px;background:var(--code);border-radius:8px;max-height:360px;overflow:auto;white-space:pre-wrap}
.quiet,figcaption{color:var(--quiet);font-size:14px}
.prose{white-space:pre-line}
.failing{--tone:var(--fail);--tone-back:var(--fail-back)}
.degraded{--tone:var(--warn);--tone-back:var(--warn-back)}
.passing{--tone:var(--good);--tone-back:var(--good-back)}
.neutral{--tone:var(--none);--tone-back:var(--none-back)}
.hero{border-top:4px solid var(--tone);padding-top:18px}
.status{display:flex;flex-wrap:wrap;gap:6px 10px;align-items:center;margin-bottom:10px}
.pill{background:var(--tone-back);color:var(--tone);font-weight:600;font-size:14px;border-radius:999px;padding:2px 12px;white-space:nowrap}
.reason{font-size:24px;line-height:1.3;font-weight:650;letter-spacing:-.01em;margin:6px 0 10px;color:var(--tone);white-space:pre-line}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(200px,1fr));gap:12px 24px}
.hero .facts{margin-top:16px;padding-top:16px;border-top:1px solid var(--line)}
.facts .wide{grid-column:1/-1}
.facts dt{color:var(--quiet);font-size:13px}
.facts dd{margin:0;font-size:15px}
.facts+details,details+details{margin-top:12px}
.now{background:var(--tone-back);border-color:transparent}
.now h2{color:var(--tone);margin-bottom:4px}
.now figcaption{margin-top:2px}
.strip{display:block;width:100%;max-width:400px;margin-top:12px}
.v-failing{fill:var(--f)}.v-degraded{fill:var(--d)}.v-passing{fill:var(--p)}.v-none{fill:var(--n)}.v-ring{fill:none;stroke:var(--quiet);stroke-width:2}.shown{fill:var(--text)}
summary{cursor:pointer;font-size:15px;font-weight:500}
table{border-collapse:collapse;width:100%;margin-top:8px;font-size:13px}
th,td{text-align:left;vertical-align:top;padding:6px 12px 6px 0;border-top:1px solid var(--line)}
th{font-weight:500;color:var(--quiet);width:30%}
.plain{padding-left:20px;font-size:15px}
.plain li+li{margin-top:4px}
.plain+p{margin-top:10px}
.assertions,.attempts{list-style:none;padding:0}
.assertions li,.attempts li{display:flex;gap:12px;padding:10px 0;border-top:1px solid var(--line)}
.assertions li:first-child,.attempts li:first-child{border-top:0;padding-top:0}
.assertions li:last-child,.attempts li:last-child{padding-bottom:0}
.assertions p+p,.attempts p+p{margin-top:2px}
.sign{flex:none;width:24px;height:24px;border-radius:50%;background:var(--tone-back);color:var(--tone);font-size:13px;font-weight:700;line-height:24px;text-align:center}
.bar{display:block;width:100%;height:16px;border-radius:8px}
.p0{--c:#98a2b3}.p1{--c:#7a5af8}.p2{--c:#2e90fa}.p3{--c:#15b79e}.p4{--c:#f79009}.p5{--c:#66bb2f}.p9{--c:#c0c6cf}
.bar rect{fill:var(--c)}
.legend{list-style:none;padding:0;margin-top:12px;display:grid;grid-template-columns:repeat(auto-fill,minmax(200px,1fr));gap:4px 24px;font-size:14px}
.legend li{display:flex;align-items:center;gap:8px}
.legend i{width:10px;height:10px;border-radius:3px;background:var(--c)}
.legend b{white-space:nowrap;margin-left:auto;font-weight:600;font-variant-numeric:tabular-nums}
.log{list-style:none;padding:12px;background:var(--code);border-radius:8px;max-height:420px;overflow:auto}
.log li{display:grid;grid-template-columns:64px 52px 1fr;gap:8px;padding:1px 0;white-space:pre-wrap}
.log span:nth-child(-n+2){color:var(--quiet)}
.log .l-ERROR span{color:var(--fail)}.log .l-WARN span{color:var(--warn)}
.pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(220px,1fr));gap:16px}
.single{grid-template-columns:1fr}
.pictures img,.pictures video{display:block;width:100%;max-height:420px;object-fit:contain;object-position:top left;border-radius:8px}
.pictures img{border:1px solid var(--line)}
.pictures figcaption{margin-top:4px}
.action{display:inline-block;font-weight:600;text-decoration:none;color:#fff;background:#1657c4;border-radius:8px;padding:8px 18px;margin-right:8px}
.action+.quiet{display:inline-block}
.source{display:grid;padding:12px 0;line-height:1.7;white-space:pre}
.source span{padding:0 12px;overflow-wrap:normal}
.source i{display:inline-block;width:3ch;margin-right:2ch;text-align:right;font-style:normal;color:var(--quiet)}
.source .here{background:var(--fail-back);box-shadow:inset 3px 0 0 var(--fail)}
.source .here i{color:var(--fail)}
.steps{list-style:none;padding:0;font-size:14px}
.steps li{display:grid;grid-template-columns:20px 1fr 76px;gap:0 8px;padding:6px 0;border-top:1px solid var(--line)}
.steps li:first-child{border-top:0}
.steps i{font-style:normal;color:var(--tone);font-weight:700}
.steps b{font-weight:500;text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.steps svg{grid-column:2/-1;display:block;width:100%;height:4px;margin-top:4px}
.steps rect{fill:var(--tone)}
.steps .d1 span{padding-left:16px}.steps .d2 span{padding-left:32px}.steps .d3 span,.steps .d4 span{padding-left:48px}
.pages li+li{margin-top:12px}
.vitals{list-style:none;padding:0;margin-top:4px;display:flex;flex-wrap:wrap;gap:4px 20px;font-size:14px}
.vitals abbr{color:var(--quiet);text-decoration:none}
.vitals b{font-weight:600;font-variant-numeric:tabular-nums}
.GOOD b span{color:var(--good)}.NEEDS_IMPROVEMENT b span{color:var(--warn)}.POOR b span{color:var(--fail)}
.pages .vitals li+li{margin-top:0}
.console{list-style:none;padding:0;font-size:14px}
.console li{padding:8px 0;border-top:1px solid var(--line);white-space:pre-wrap}
.console li:first-child{border-top:0;padding-top:0}
.console b{color:var(--fail)}
.console .quiet{display:block;font-size:13px}
.notice{margin-top:10vh;padding:28px}
.notice h1{font-size:22px;margin-bottom:10px}
button{font:inherit;font-weight:600;color:#fff;background:#1657c4;border:0;border-radius:8px;padding:10px 20px;margin-top:18px;cursor:pointer}
select{font:inherit;padding:8px 10px;border:1px solid var(--quiet);border-radius:8px;background:var(--card);color:var(--text)}
.plain-button{background:none;color:var(--link);border:1px solid var(--quiet)}
.answer{padding:4px 0 14px}.answer+.answer{border-top:1px solid var(--line)}.answer button{margin-top:10px}
footer{color:var(--quiet);font-size:13px;padding:4px 24px}
footer code{background:none;padding:0;font-size:12px}
@media (max-width:560px){main{padding:12px 10px 32px}.card{padding:16px;border-radius:10px;margin-bottom:10px}.reason{font-size:20px}
.facts,.legend{grid-template-columns:1fr 1fr;gap:10px 16px}.legend{grid-template-columns:1fr}.log li{grid-template-columns:1fr;gap:0}.log span{display:inline}.log li{display:block}.log span:nth-child(-n+2){margin-right:8px}
.action+.quiet{display:inline-block}
table,tbody,tr,th,td{display:block;width:auto}td{border-top:0;padding-top:0}footer{padding:4px 6px}}
@media print{:root{--back:#fff;--card:#fff;--line:#bbb;--text:#000;--quiet:#444}main{max-width:none;padding:0}.card{break-inside:avoid-page;padding:12px 0;border-width:1px 0 0;border-radius:0}
pre,.log{max-height:none;overflow:visible}details::details-content{content-visibility:visible;block-size:auto}svg,.pill,.sign,.legend i{print-color-adjust:exact}}
`
