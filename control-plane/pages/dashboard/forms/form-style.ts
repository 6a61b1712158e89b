/** How forms look: one line for what belongs together, and a bar that stays in sight; of a long list two lines, which scroll. */
import { html } from '../../../platform/web/html/html.ts'

export const formStyle = html`
.form{max-width:980px}
.form>.card{margin-bottom:12px}
.form .field{margin:0}.form .card>*+*{margin-top:10px}.form .fold>*+*{margin-top:12px}
.form .field>label,.label{display:block;font-weight:600;font-size:14px;margin-bottom:3px}
.form .field input:not([type=checkbox],[type=radio]),.form .field select,.form .field textarea{max-width:100%}
.form .fold .field input:not([type=checkbox],[type=radio],[type=number]),.form .fold .field select{max-width:560px}
.line{display:grid;gap:10px 14px;grid-template-columns:repeat(auto-fit,minmax(min(100%,150px),1fr));align-items:start}
.of-method,.of-recordType{grid-template-columns:110px minmax(0,1fr)}
.of-hostname,.of-query{grid-template-columns:minmax(0,1fr) 130px}
.of-name{grid-template-columns:minmax(0,1fr) auto}
.seg,.boxed .boxes{display:inline-flex;flex-wrap:wrap;border:1px solid color-mix(in srgb,var(--quiet) 55%,var(--line));border-radius:8px;overflow:hidden;background:var(--card);max-width:100%}
.seg label{position:relative;display:inline-flex}
.seg input{position:absolute;inset:0;width:100%;height:100%;margin:0;opacity:0;cursor:pointer}
.seg span{padding:5px 10px;min-height:32px;font-size:14px;border-right:1px solid var(--line);white-space:nowrap;display:inline-flex;align-items:center}
.seg label:last-child span{border-right:0}
.seg input:checked+span{background:color-mix(in srgb,var(--link) 12%,var(--card));color:var(--link);font-weight:600}
.seg input:focus-visible+span{outline:2px solid var(--link);outline-offset:-2px}
.every .other{display:none;width:auto;margin-top:6px}
.every:has(input[value=other]:checked) .other{display:block}
.form .group{border:0;padding:0;margin:0;background:none}
.form .card>*+.group,.form .fold>*+.group{margin-top:10px}
.form .group legend{padding:0;margin:0 0 3px;font-weight:600;float:left;width:100%}
.form .group legend+*{clear:both}
.form .group>*+.field{margin-top:8px}
.boxed .boxes{gap:0;margin:0;clear:both}
.boxed .boxes{max-height:71px;overflow-y:auto}
.boxed .boxes label{padding:5px 12px;min-height:32px;border-right:1px solid var(--line)}
.boxed .boxes label:last-child{border-right:0}
.boxed .boxes label:has(:checked){background:color-mix(in srgb,var(--link) 12%,var(--card));color:var(--link);font-weight:600}
.form .inner{border-left:3px solid var(--line);padding-left:14px;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,240px),1fr));gap:10px 18px;margin-top:8px;align-items:start}
.form .inner>.group{grid-column:1/-1}
.form .on{margin:0;clear:both}
.rows .row{border:0;padding:0;margin:0 0 6px;clear:both}
.rows .row:not(.inline){border-left:3px solid var(--line);padding-left:14px}
.row.inline{display:flex;gap:6px;align-items:start}
.inline .cell{flex:1 1 0;min-width:0}
.inline .cell :is(input,select,textarea){width:100%}
.inline .cell-target,.inline .cell-value{flex-grow:2}
.inline .switch{flex:none;margin:0;padding-top:5px}
.inline .drop{flex:none;border:0;background:none;color:var(--link);min-height:34px;padding:2px 8px}
.assertions .inline:has(.cell-source option:is([value=STATUS_CODE],[value=RESPONSE_TIME],[value=RESPONSE_CODE],[value=RESPONSE_DATA]):checked) :is(.cell-property,.cell-regex){visibility:hidden}
.assertions .inline:not(:has(.cell-source option:is([value=TEXT_BODY],[value=TEXT_ANSWER],[value=HEADERS]):checked)) .cell-regex{display:none}
.assertions .inline:has(.cell-source option:is([value=TEXT_BODY],[value=TEXT_ANSWER]):checked) .cell-property{display:none}
.form .translations{grid-column:1/-1;flex:1 0 100%;clear:both;margin:4px 0 12px}
.form .translations>summary{display:list-item;list-style:revert;padding:2px 0;font-size:14px;cursor:pointer}
.translations>fieldset{border-left:3px solid var(--line);padding-left:14px;margin:8px 0}
.translations :is(input,textarea){unicode-bidi:plaintext;text-align:start}
.folds{padding:2px 20px}
.form .folds>details{margin:0;border-top:1px solid var(--line)}
.form .folds>details:first-child{border-top:0}
.folds summary{display:flex;gap:12px;padding:8px 0;cursor:pointer;list-style:none;font-size:14px;align-items:baseline}
.folds summary::-webkit-details-marker{display:none}
.folds summary b{flex:0 0 180px}.folds summary span{flex:1;min-width:0;color:var(--quiet)}
.folds summary u{color:var(--link);text-decoration:none;font-weight:500}
.folds u::after{content:"change"}.folds [open]>summary u::after{content:"close"}
.fold{padding:6px 0 16px}
.switch:has([name="query.autoAssignAlerts"]:checked)~.alertChannelSubscriptions{display:none}
.savebar{position:sticky;bottom:0;background:var(--card);border:1px solid var(--line);border-radius:12px;padding:10px 16px;z-index:2;box-shadow:0 -2px 10px color-mix(in srgb,var(--text) 6%,transparent)}
.savebar p{margin:0}
.savebar .quiet{font-size:13px}
.form :target,.form [id]{scroll-margin-bottom:90px}
.editor{display:grid;grid-template:minmax(0,1fr)/auto minmax(0,1fr);position:relative;border:1px solid color-mix(in srgb,var(--quiet) 55%,var(--line));border-radius:8px;background:var(--card);overflow:hidden}
.editor:focus-within{outline:2px solid var(--link)}
.editor>*{grid-area:1/2;font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;padding:8px 10px;margin:0;border:0;border-radius:0;background:none;tab-size:2;white-space:pre}
.editor pre{max-height:none;height:0;min-height:100%;overflow:hidden;pointer-events:none}
.editor .nums{grid-area:1/1;text-align:right;color:var(--quiet);background:var(--code);min-width:44px}
.nums b{color:var(--fail)}
.editor textarea{display:block;width:100%;min-height:240px;max-height:70vh;outline:0;overflow:auto}
.fold .editor textarea,.row .editor textarea{min-height:120px}
@media not (forced-colors:active){.editor textarea{-webkit-text-fill-color:transparent;caret-color:var(--text)}.editor textarea::selection{background:color-mix(in srgb,var(--link) 28%,transparent)}}
@media (forced-colors:active){.editor pre:not(.nums){visibility:hidden}}
.editor .c{color:var(--quiet);font-style:italic}.editor .s{color:var(--good)}.editor .k{color:var(--link);font-weight:600}.editor .n{color:var(--warn)}.editor .f{color:color-mix(in srgb,var(--link) 70%,var(--fail))}
.error:empty{display:none}
.finder{display:flex;gap:6px;align-items:center;max-width:420px;margin:0 0 6px;clear:both}
.form .finder input[type=search]{flex:1;min-width:0;width:auto}
.suggested{display:flex;flex-wrap:wrap;gap:6px;margin:6px 0 0}.suggested button{overflow-wrap:anywhere;text-align:start;font-weight:500}
.all{display:flex;gap:6px;margin:6px 0 0}
.beside{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:center}.beside .help{margin:6px 0 0}
.frame main:has(.savebar){padding-bottom:24px}
.tried h2{margin-bottom:6px}
@media (max-width:620px){
.of-name{grid-template-columns:minmax(0,1fr)}
.row.inline{flex-wrap:wrap;border-left:3px solid var(--line);padding-left:10px}
.inline .cell{flex:1 1 40%}
.folds{padding:2px 14px}
.folds summary{flex-wrap:wrap;gap:0 12px}.folds summary b{flex:1 1 60%}.folds summary span{order:3;flex:1 1 100%}
}
`
