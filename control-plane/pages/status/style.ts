/** How a status page looks: system fonts, one column, its colours from theme.ts. States have shapes and words, never a colour alone. */
import { html } from '../../platform/web/html/html.ts'

export const style = html`
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-padding-top:16px}
body{margin:0;background:var(--back);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Noto Sans","Hiragino Sans","Noto Sans JP",sans-serif;overflow-wrap:anywhere}
h1,h2,h3,p,ul,ol,dl,dd{margin:0;padding:0}
ul,ol{list-style:none}
a{color:var(--link);text-underline-offset:3px;text-decoration-thickness:1px}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:4px}
.skip{position:absolute;inset-inline-start:-999px}.skip:focus{inset-inline-start:16px;top:8px;background:var(--card);padding:8px 16px;z-index:1}
.in{max-width:912px;margin:0 auto;padding:0 24px}
header{background:var(--head);color:var(--on-head);border-bottom:1px solid var(--line)}
header .in{display:flex;flex-wrap:wrap;gap:8px 24px;align-items:center;min-height:72px;padding-top:12px;padding-bottom:12px}
.brand{font-size:18px;font-weight:650;letter-spacing:-.01em;color:inherit;text-decoration:none;display:inline-flex;align-items:center;min-height:24px;flex:0 1 auto}
.brand img{display:block;max-height:40px;max-width:240px}
nav{display:flex;flex-wrap:wrap;gap:4px 20px;margin-inline-start:auto}
[dir=rtl] [dir=auto]{text-align:right}
nav a{color:var(--nav);font-size:15px;text-decoration:none;padding:4px 0;min-height:24px}nav a:hover{text-decoration:underline}
main.in{display:block;padding-top:44px;padding-bottom:64px}
h1,h2,h3{color:var(--title)}
h2{font-size:18px;line-height:1.4;font-weight:650;letter-spacing:-.01em;margin:48px 0 14px}
h3{font-size:16px;line-height:1.45;font-weight:600}
.quiet{color:var(--quiet);font-size:14px}
.prose{white-space:pre-line}
.now{display:flex;gap:18px;align-items:center}
.now h1{font-size:32px;line-height:1.2;font-weight:680;letter-spacing:-.022em}
.now .i{width:44px;height:44px;flex:none}
.now p{margin-top:4px}
.about{margin-top:20px;max-width:64ch}
.note{border:1px solid var(--line);border-inline-start:4px solid var(--warn);background:var(--card);border-radius:10px;padding:12px 18px;margin-bottom:28px}
.card{background:var(--card);border:1px solid var(--line);border-radius:14px}
.card+.card,.card+h3{margin-top:16px}
.i{width:18px;height:18px;flex:none;fill:var(--tone)}
.t-operational,.t-up{--tone:var(--ok)}.t-maintenance{--tone:var(--work)}.t-degraded{--tone:var(--warn)}.t-partial,.t-major,.t-down{--tone:var(--bad)}.t-none,.t-unknown{--tone:var(--none)}
.item{padding:20px 24px;border-inline-start:4px solid var(--tone);border-radius:14px}
.item h3{font-size:18px}
.item h3 a{display:inline-block;min-height:24px;color:var(--title)}
.item .prose{margin-top:10px;max-width:68ch}
.meta{display:flex;flex-wrap:wrap;gap:2px 16px;margin-top:4px;color:var(--quiet);font-size:14px}
.meta b{font-weight:600;color:var(--text)}
.group>li{padding:20px 24px 18px;border-top:1px solid var(--line)}.group>li:first-child{border-top:0}
.row{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;gap:2px 20px}
.word{display:inline-flex;align-items:center;gap:8px;font-size:15px;font-weight:500}
.bars{display:flex;gap:2px;height:34px;margin-top:12px;align-items:flex-end}
.bars a{flex:1 1 0;min-width:0;height:76%;border-radius:2px;background:var(--ok);forced-color-adjust:none}
.bars a:hover{opacity:.7}
.bars .g{background:repeating-linear-gradient(0deg,var(--warn) 0 3px,transparent 3px 5px);height:100%}
.bars .d{background:linear-gradient(var(--bad) 0 5px,transparent 5px 7px,var(--bad) 7px);height:100%}
.bars .d1,.bars .d2,.bars .d3{height:100%;background:linear-gradient(0deg,var(--bad) var(--lost),transparent var(--lost) calc(var(--lost) + 2px),var(--ok) calc(var(--lost) + 2px))}
.bars .d1{--lost:20%}.bars .d2{--lost:40%}.bars .d3{--lost:65%}
.bars .n{background:repeating-linear-gradient(45deg,var(--none) 0 1px,transparent 1px 4px);height:40%}
.scale{display:flex;justify-content:space-between;gap:12px;margin-top:8px;color:var(--quiet);font-size:13px;font-variant-numeric:tabular-nums}
.scale b{font-weight:600;color:var(--text)}
.short{display:none}
.key{display:flex;flex-wrap:wrap;gap:6px 22px;margin:18px 0 8px;font-size:13px;color:var(--quiet)}
.key li{display:flex;align-items:center;gap:8px}
.key .bars{width:14px;height:16px;margin:0}
.rule{max-width:76ch;font-size:13px;color:var(--quiet)}
details{margin-top:16px}
summary{cursor:pointer;font-weight:500;font-size:15px;padding:4px 0;min-height:32px}
.days li{padding-block:5px;padding-inline-start:2px;font-size:14px;border-top:1px solid var(--line);display:flex;flex-wrap:wrap;gap:2px 16px;scroll-margin-top:24px}
.days li:target{background:var(--card);outline:2px solid var(--link);outline-offset:2px}
.days time,.days b{flex:none;width:128px;font-weight:500;font-variant-numeric:tabular-nums}
.months .m{margin:24px 0 8px;font-size:15px;color:var(--quiet);font-weight:600}
.months .m:first-child{margin-top:0}
.months li{padding:14px 24px;border-top:1px solid var(--line)}.months li:first-child{border-top:0}
.months li a{font-weight:550;color:var(--title);display:inline-block;min-height:24px}
.more{margin-top:16px}.more a{display:inline-block;padding:4px 0}
.updates{margin-top:8px}
.updates li{padding-top:18px;padding-inline-start:22px;border-inline-start:2px solid var(--line);position:relative}
.updates li:before{content:"";position:absolute;inset-inline-start:-6px;top:25px;width:10px;height:10px;border-radius:50%;background:var(--quiet)}
.updates .prose{margin-top:4px;max-width:68ch}
.one h1{font-size:28px;line-height:1.25;font-weight:680;letter-spacing:-.02em;margin-bottom:8px}
.facts{margin-top:16px;display:grid;grid-template-columns:max-content 1fr;gap:4px 20px;font-size:15px}
.facts dt{color:var(--quiet)}
.join{padding:24px;display:grid;gap:16px}
form{display:flex;flex-wrap:wrap;gap:12px;align-items:flex-end}
form details{flex:1 1 100%;margin:0}fieldset{border:0;padding:0;margin:0;min-width:0;display:flex;flex-wrap:wrap;gap:4px 20px}
label{display:grid;gap:6px;font-size:14px;font-weight:500;flex:1 1 240px}
.pick{display:flex;align-items:center;gap:8px;flex:0 1 auto;min-height:32px;min-width:0;overflow-wrap:anywhere}
input{font:inherit;color:var(--text);background:var(--back);border:1px solid var(--quiet);border-radius:8px;padding:9px 12px;min-height:44px;width:100%}.pick input{width:20px;height:20px;min-height:0;flex:none;padding:0}
button{font:inherit;flex:0 0 auto;font-weight:600;color:var(--on-key);background:var(--key);border:1px solid transparent;border-radius:8px;padding:9px 20px;min-height:44px;cursor:pointer}
.plain{color:var(--link);background:none;padding:2px 6px;min-height:28px;font-weight:500;font-size:14px}
.feeds{display:flex;flex-wrap:wrap;gap:4px 20px;font-size:14px;align-items:baseline;padding-top:14px;border-top:1px solid var(--line)}.feeds a{display:inline-block;padding:3px 0;min-height:24px}
footer{border-top:1px solid var(--line);padding:20px 0 40px;color:var(--quiet);font-size:13px}
footer .in{display:flex;flex-wrap:wrap;gap:4px 24px;justify-content:space-between;align-items:center}
.lang{gap:4px}.lang select{font:inherit;color:var(--text);background:var(--card);border:1px solid var(--line);border-radius:8px;padding:4px 8px;min-height:32px}
footer a{color:inherit;display:inline-block;padding:3px 0}
.gate{max-width:440px;margin:8vh auto;padding:32px}.gate h1{font-size:24px;line-height:1.3;margin-bottom:8px}.gate form{margin-top:20px}
.v{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
[hidden]{display:none}
@media(max-width:600px){.in{padding:0 16px}main.in{padding-top:28px;padding-bottom:40px}.now{gap:14px;align-items:flex-start}.now h1{font-size:24px}.now .i{width:32px;height:32px}h2{margin-top:36px}
.group>li,.item,.months li,.join{padding-left:16px;padding-right:16px}.bars{height:30px}.bars a:nth-child(-n+45){display:none}.key .bars a{display:block}.long{display:none}.short{display:inline}.facts{grid-template-columns:1fr;gap:0}.facts dd{margin-bottom:8px}.gate{margin:24px auto;padding:24px}}
@media(prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}.bars a{transition:opacity .12s}}
@media print{header nav,.join,footer,.plain{display:none}.card{break-inside:avoid}}
`
