/** How the dashboard looks, on top of the style of all pages: dense, quiet, the same in both schemes. */
import { html } from '../../platform/web/html/html.ts'

export const dashboardStyle = html`
body{font-size:15px}
.skip{position:absolute;left:-999px}.skip:focus{left:8px;top:8px;background:var(--card);padding:8px 12px;z-index:9}
.top{display:flex;align-items:center;justify-content:space-between;gap:12px;padding:10px 20px;background:var(--card);border-bottom:1px solid var(--line)}
.top form{display:flex;align-items:center;gap:10px;white-space:nowrap}
.top .search{flex:0 1 440px;gap:6px}.search input{flex:1;min-width:0}
.brand{display:flex;align-items:center;gap:8px;font-weight:650;text-decoration:none;color:var(--text);letter-spacing:-.01em}
.brand svg{color:var(--link)}
.frame{display:grid;grid-template-columns:188px minmax(0,1fr);max-width:1440px;margin:0 auto}
.frame main{max-width:none;margin:0;padding:24px 28px 64px;min-width:0}
.side{padding:20px 0 20px 12px;font-size:14px}
.side h2{font-size:12px;font-weight:600;color:var(--quiet);margin:18px 0 4px;padding:0 10px}
.side ul{list-style:none;margin:0;padding:0}
.side a{display:flex;justify-content:space-between;gap:8px;padding:6px 10px;border-radius:7px;text-decoration:none;color:var(--text)}
.side a:hover{background:var(--code)}
.side a[aria-current]{background:color-mix(in srgb,var(--link) 10%,var(--card));color:var(--link);font-weight:600}
.side em{display:inline-block;font-style:normal;font-size:12px;line-height:20px;font-weight:600;color:#fff;background:#b42318;border-radius:10px;padding:0 7px}
@supports selector(::details-content){@media (min-width:821px){.side summary{display:none}.side details::details-content{content-visibility:visible;block-size:auto}}}
.side summary strong{color:var(--text);margin-left:10px}
.tabs{display:flex;flex-wrap:wrap;gap:2px 18px;border-bottom:1px solid var(--line);margin:-4px 0 16px;font-size:14px}
.tabs a{padding:6px 2px;text-decoration:none;color:var(--quiet);border-bottom:2px solid transparent;margin-bottom:-1px}
.tabs a:hover{color:var(--text)}.tabs [aria-current]{color:var(--text);font-weight:600;border-color:var(--link)}
.trail{font-size:14px;margin-bottom:2px;color:var(--quiet)}
.trail span+span::before{content:" / "}
.head{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;justify-content:space-between;margin-bottom:16px}
.head h1{font-size:24px;line-height:1.25;font-weight:650;letter-spacing:-.015em}
.intro{margin:0 0 14px}.said+p{margin:14px 0}
.actions,.buttons{display:flex;flex-wrap:wrap;gap:8px;align-items:center}
.actions form,.inline{display:inline}
button,.button{margin:0;font:inherit;font-weight:600;font-size:14px;border:1px solid transparent;border-radius:8px;padding:6px 14px;min-height:34px;cursor:pointer;text-decoration:none;display:inline-flex;align-items:center;line-height:1.3}
button.main,.button.main{background:#1657c4;color:#fff}
button.second,.button.second{background:var(--card);color:var(--text);border-color:var(--line)}
button.danger,.button.danger{background:var(--fail-back);color:var(--fail);border-color:currentColor}
button:hover,.button:hover{filter:brightness(.97)}
button.small,.button.small{margin:0;padding:2px 10px;min-height:28px;font-size:13px}
.map,.map ul{list-style:none;margin:0;padding:0}.map li{padding:5px 0;overflow-wrap:anywhere}.map ul{margin-left:10px;padding-left:14px;border-left:1px solid var(--line)}
.first{position:absolute;left:-9999px}
.said{background:var(--good-back);color:var(--good);border-radius:8px;padding:8px 14px;margin-bottom:16px;font-weight:500}
.card{padding:16px 20px}
.card>h2+*{margin-top:0}
.counts{display:grid;grid-template-columns:repeat(auto-fit,minmax(116px,1fr));gap:10px;list-style:none;padding:0;margin:0 0 16px}
.counts a{display:block;background:var(--card);border:1px solid var(--line);border-radius:10px;padding:10px 14px;text-decoration:none;color:var(--text)}
.counts b{display:block;font-size:24px;line-height:1.2;font-weight:650;font-variant-numeric:tabular-nums;color:var(--tone,var(--text))}
.counts span{font-size:13px;color:var(--quiet)}
.counts [aria-current] a{border-color:var(--link);box-shadow:0 0 0 1px var(--link)}
.scroll{overflow-x:auto;margin:0 -20px;padding:0 20px}
.list{width:100%;font-size:14px;margin:0}
.list th{width:auto;font-size:13px;border-top:0;white-space:nowrap;padding-bottom:8px}
.list td{padding:8px 14px 8px 0;vertical-align:top}
.list td.tick,.list th.tick{width:28px;padding-right:6px}
.list tr:hover td{background:color-mix(in srgb,var(--code) 45%,transparent)}
.list .num{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.list .act{white-space:nowrap;text-align:right;padding-right:0}
.list a{font-weight:500;text-decoration:none}.list a:hover{text-decoration:underline}
.act a+a{margin-left:12px}
.list td p+p{margin-top:0}
.state{display:inline-flex;align-items:center;gap:7px;white-space:nowrap;font-weight:600;color:var(--tone)}
.state i{display:inline-grid;place-items:center;width:18px;height:18px;border-radius:50%;background:var(--tone-back);font-style:normal;font-size:11px;line-height:1}
.tag{display:inline-block;max-width:100%;overflow-wrap:anywhere;background:var(--code);border-radius:5px;padding:0 6px;margin:0 4px 2px 0;font-size:12px;color:var(--text);text-decoration:none}
.why{color:var(--quiet);font-size:13px;max-width:80ch}
.filters{display:flex;flex-wrap:wrap;gap:10px;align-items:end;margin-bottom:14px}
.filters label{font-size:13px;color:var(--quiet);display:grid;gap:2px}.filters label.check{align-self:end;padding-bottom:8px}
.filters :is(select,input:not([type=checkbox]),button){box-sizing:border-box;height:36px}
.filters .wide{flex:1 1 200px;max-width:420px}.filters>a{line-height:36px;font-size:14px}
input,select,textarea{font:inherit;font-size:14px;color:var(--text);background:var(--card);border:1px solid color-mix(in srgb,var(--quiet) 55%,var(--line));border-radius:8px;padding:6px 10px;min-height:34px;max-width:100%}
input[type=checkbox]{min-height:0;width:16px;height:16px;margin:0;accent-color:var(--link);vertical-align:-2px}
.form{max-width:860px}
.form .card{display:block}
.field{margin:12px 0}
.field>label{display:block;font-weight:500;font-size:14px;margin-bottom:3px}
.field input:not([type=checkbox]),.field select,.field textarea{width:100%;max-width:560px;display:block}
.field input[type=number]{max-width:160px}
.field textarea{resize:vertical;max-width:100%}
.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13px;line-height:1.45}
.switch label{display:inline-flex;gap:8px;align-items:center;font-weight:500;font-size:14px;min-height:24px}
.help{color:var(--quiet);font-size:13px;margin-top:3px;max-width:72ch}
.error{color:var(--fail);font-size:13px;font-weight:500;margin-top:3px}
[aria-invalid]{border-color:var(--fail)}
.group{border:1px solid var(--line);border-radius:10px;padding:4px 16px 12px;margin:14px 0;min-width:0}
.group legend{font-weight:600;font-size:14px;padding:0 6px;margin-left:-6px}
.group .group{background:color-mix(in srgb,var(--back) 50%,transparent)}
.group:has(>.on input[type=checkbox]:not(:checked))>.inner{display:none}
.on{margin:6px 0}
.row{border-left:3px solid var(--line);padding-left:14px;margin:10px 0 14px;display:grid;grid-template-columns:repeat(auto-fill,minmax(180px,1fr));gap:0 14px;align-items:start}
.row>.group,.row>.field:has(textarea){grid-column:1/-1}
.row>button{justify-self:start;grid-column:1/-1}
.boxes{display:grid;grid-template-columns:repeat(auto-fill,minmax(160px,1fr));gap:4px 14px;margin-top:6px}
.boxes label{font-size:14px;display:flex;gap:8px;align-items:center;min-height:24px}
.problem{border-left:4px solid var(--fail);background:var(--fail-back)}
.tiles{list-style:none;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(200px,1fr));gap:10px}
.tiles a{display:block;height:100%;border:1px solid var(--line);border-radius:10px;padding:12px 16px;text-decoration:none;font-weight:600}
.tiles a:hover{border-color:var(--link)}
.tiles span{display:block;font-weight:400;font-size:13px;color:var(--quiet)}
.cols{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:0 16px;align-items:start}
.bulk{position:sticky;bottom:0;z-index:2;display:flex;flex-wrap:wrap;gap:6px 8px;align-items:center;margin:-6px 0 0;padding:10px 16px;background:var(--card);border:1px solid var(--line);border-radius:10px;box-shadow:0 -2px 10px #0001}
.bulk .all{font-size:14px;display:flex;gap:6px;align-items:center;margin-right:8px}
.menu{position:relative}.menu summary{list-style:none}.menu summary::-webkit-details-marker{display:none}
.bulk .menu>div{position:absolute;right:0;bottom:100%;width:min(460px,86vw);margin-bottom:8px;background:var(--card);border:1px solid var(--line);border-radius:10px;padding:10px 16px;box-shadow:0 4px 18px #0003}
.bulk .menu p{display:flex;flex-wrap:wrap;gap:6px 8px;align-items:center;margin:6px 0}.bulk .menu .quiet{flex:0 0 84px}
.bulk .menu :is(input,select){flex:1;min-width:0;max-width:190px}
.bar-of-list{display:flex;flex-wrap:wrap;gap:10px 14px;align-items:center;margin-bottom:12px}.bar-of-list .filters{margin:0}
.states{display:flex;flex-wrap:wrap;list-style:none;padding:0;margin:0;border:1px solid var(--line);border-radius:8px;background:var(--card);font-size:14px;overflow:hidden}
.states a{display:block;padding:6px 12px;text-decoration:none;color:var(--text)}.states li+li a{border-left:1px solid var(--line)}
.states a:hover{background:var(--code)}.states [aria-current]{background:color-mix(in srgb,var(--link) 10%,var(--card));color:var(--link);font-weight:600}
.states b{font-weight:600;font-variant-numeric:tabular-nums}
.runs{display:block;width:120px;height:22px}.runs path{stroke-width:3;fill:none}
.runs .r-failing{stroke:var(--f);stroke-width:22;stroke-dasharray:3 1}.r-degraded{stroke:var(--d);stroke-dasharray:4 2}.r-unknown{stroke:var(--quiet);stroke-dasharray:2 2}.runs .r-passing{stroke:var(--p);stroke-width:15;stroke-dasharray:3 1}.runs .r-none{stroke:var(--n);stroke-width:3;stroke-dasharray:3 1}
.checks td{vertical-align:middle}.checks .mark{width:1px}.checks th a{color:var(--quiet)}.checks [aria-sort] a{color:var(--text)}
.why.failing,.why.degraded{color:var(--tone)}
.tree tbody+tbody{border-top:1px solid var(--line)}.tree .of-group{background:color-mix(in srgb,var(--back) 60%,transparent)}
.fold{font-weight:600;color:var(--text);text-decoration:none}.fold::before{content:"▸ " / ""}.fold[aria-expanded=true]::before{content:"▾ " / ""}.fold:hover{text-decoration:underline}
.sums,.own{font-size:13px;color:var(--quiet);margin-left:6px}.sums a{color:inherit}.sums .failing{color:var(--fail);font-weight:600}.group-sum{margin-bottom:10px}
.pager{display:flex;gap:12px;margin-top:14px}
.copied{user-select:all}.list time{white-space:nowrap}.ticks{list-style:none;padding:0}
.empty{color:var(--quiet);padding:6px 0}
.days{display:flex;gap:2px;height:34px;align-items:stretch;list-style:none;padding:0;margin:8px 0 4px}
.days li{position:relative;flex:1 1 0;border-radius:2px;background:var(--n);min-width:1px;overflow:hidden}
.days a{position:absolute;inset:0}.days a:focus-visible{outline-offset:-2px}
.days .d-passing{background:var(--p)}
.days .d-degraded{background:repeating-linear-gradient(45deg,var(--d) 0 4px,color-mix(in srgb,var(--d) 60%,var(--card)) 4px 6px)}
.days .d-failing,.days .d-f4{background:var(--f)}
.days .d-f1{background:linear-gradient(var(--f) 18%,var(--p) 0)}
.days .d-f2{background:linear-gradient(var(--f) 40%,var(--p) 0)}
.days .d-f3{background:linear-gradient(var(--f) 68%,var(--p) 0)}
.days .d-none{background:repeating-linear-gradient(45deg,var(--line) 0 3px,transparent 3px 6px);outline:1px solid var(--line);outline-offset:-1px}
.days .d-before{background:none;box-shadow:inset 0 0 0 1px var(--line)}
.hide{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.plot{display:grid;grid-template-columns:auto minmax(0,1fr);gap:0 10px;margin-top:10px}
.plot .ys{display:flex;flex-direction:column;justify-content:space-between;height:180px;margin:-8px 0;font-size:12px;color:var(--quiet);text-align:right;white-space:nowrap}
.plot .ys span{line-height:16px}
.plot figcaption{grid-column:2}
.plot .days{height:14px;gap:1px;margin:6px 0 0}
.chart{display:block;width:100%;height:164px}
.chart path,.chart line{vector-effect:non-scaling-stroke}
.chart .grid{stroke:var(--line);fill:none}
:is(.chart,.key) .band{fill:color-mix(in srgb,var(--link) 20%,transparent)}
:is(.chart,.key) .p50{stroke:var(--link);stroke-width:2;fill:none;stroke-linejoin:round}
:is(.chart,.key) .failed{fill:var(--f)}
.chart .cursor{stroke:var(--text);visibility:hidden}.chart .cursor[x1]{visibility:visible}
.axis{display:flex;justify-content:space-between;font-size:12px;color:var(--quiet);margin-top:4px}
.keys{display:flex;flex-wrap:wrap;gap:2px 16px;font-size:13px;color:var(--quiet)}
.key{vertical-align:-1px;margin-right:5px}
.readout{display:block;font-size:13px;min-height:20px;color:var(--text)}
.readout:empty{display:none}
.plot+details{margin-top:8px}
.head+.under{margin-top:-10px}.under{margin-bottom:14px;font-size:14px}.under .quiet{font-size:14px}.under p+p{margin-top:4px}
.verdict{border-left:4px solid var(--tone)}
.verdict h2{font-size:18px;line-height:1.35;font-weight:650;color:var(--tone);margin-bottom:6px}
.verdict h2 .state{display:inline;font-weight:650}.verdict h2 .state i{margin-right:7px}.verdict h2 .quiet{font-weight:400}
.verdict .because{font-size:15px;font-weight:600}
.verdict .told{font-size:14px}.verdict .buttons{margin-top:10px}.verdict details{margin-top:4px}
.verdict summary{font-size:14px;color:var(--quiet)}
.numbers{display:grid;grid-template-columns:repeat(auto-fit,minmax(108px,1fr));gap:10px;list-style:none;padding:0;margin:0 0 16px}
.numbers li{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:9px 12px}
.numbers b{display:block;font-size:17px;line-height:1.3;font-weight:650;font-variant-numeric:tabular-nums;white-space:nowrap}
.numbers span{font-size:13px;color:var(--quiet)}
.bar-of{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;justify-content:space-between;margin-bottom:10px}
.bar-of h2{margin:0}
.segments{display:flex;flex-wrap:wrap;border:1px solid var(--line);border-radius:8px;overflow:hidden}
.segments a{padding:4px 12px;font-size:14px;text-decoration:none;color:var(--text);min-height:30px}
.segments a+a{border-left:1px solid var(--line)}
.segments a:hover{background:var(--code)}
.segments a:focus-visible{outline-offset:-2px}
.segments a[aria-current]{background:var(--code);color:var(--link);font-weight:600}
.attempts-of summary{font-size:13px;color:var(--quiet)}
.attempts-of ol{margin:4px 0 0;padding-left:20px}
.answer{display:grid;gap:6px}
.answer>div{display:grid;grid-template-columns:minmax(110px,200px) 1fr;gap:4px 14px;border-top:1px solid var(--line);padding-top:6px}
.answer>div:first-child{border-top:0;padding-top:0}
.card p+.facts,.card .facts+ul{margin-top:12px}
.answer dt{color:var(--quiet);font-size:13px}
.answer dd{margin:0;min-width:0;white-space:pre-wrap}
.rule{list-style:none;padding:0;margin:0}
@media (max-width:820px){
.frame{grid-template-columns:minmax(0,1fr)}
.side{padding:0 14px;border-bottom:1px solid var(--line);background:var(--card)}
.side summary{padding:10px 0;font-size:14px;color:var(--link)}
.side details[open]{padding-bottom:14px}
.side a{padding:9px 10px}
.frame main{padding:16px 14px 48px}
.card{padding:14px 16px}
.scroll{margin:0 -16px;padding:0 16px}
.top{padding:8px 14px;flex-wrap:wrap}
.top .quiet{display:none}
.top .search{order:3;flex:1 0 100%}.search button{display:none}
.head h1{font-size:21px}
.answer>div{grid-template-columns:1fr}
.list .act{text-align:left}
}
@media (max-width:620px){
.bulk{gap:6px;padding:8px 12px}.bulk>.quiet{flex:1 0 100%}form:not(:has(:checked))>.bulk{position:static}
.list.cards thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
.list.cards,.list.cards tbody{display:block}
.list.cards tr{display:flex;flex-wrap:wrap;gap:2px 14px;padding:10px 0;border-top:1px solid var(--line)}
.list.cards tr:first-child{border-top:0}
.list.cards td{border:0;padding:0;text-align:left}
.list.cards td:empty{display:none}
.list.cards td.main{flex:1 1 70%}.checks td.mark{width:auto;flex:0 0 auto}.checks td.history{flex:1 0 100%}.bar-of-list .filters{width:100%}
.list.cards td[data-label]::before{content:attr(data-label)" ";color:var(--quiet);font-size:12px}
.numbers{grid-template-columns:repeat(auto-fit,minmax(96px,1fr));gap:8px}
.filters>*,.filters .wide{flex:1 1 40%;max-width:none}.filters :is(select,input:not([type=checkbox])){width:100%}.filters button{justify-content:center}
.list.cards .of-group{gap:4px 10px;margin:0 -17px;padding:10px 17px}
}
@media (prefers-reduced-motion:no-preference){button,.button,.side a{transition:background .12s,border-color .12s}}
`
