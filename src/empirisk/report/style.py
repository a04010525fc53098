"""The style sheet of a report: system fonts, light and dark, phone and paper."""

STYLE = """
:root { color-scheme: light dark; --page: #f6f7f9; --card: #ffffff; --ink: #17202b; --soft: #556170; --rule: #dde2e8;
  --accent: #1f5fbf; --good: #11703c; --good-back: #e3f4ea; --bad: #a5351c; --bad-back: #fdece7;
  --error: #c8412b; --inside: #e0a526; --beyond: #3f7fd1; --plus: #3f7fd1; --minus: #d9772f; --code: #eef1f5; }
@media (prefers-color-scheme: dark) { :root { --page: #11161d; --card: #1a212b; --ink: #e7ecf2; --soft: #a3b0bf;
  --rule: #323c49; --accent: #7fb2f5; --good: #7fd8a2; --good-back: #16352a; --bad: #ff9f87; --bad-back: #43231d;
  --error: #e8654f; --inside: #e3b341; --beyond: #5d9bea; --plus: #5d9bea; --minus: #eb9350; --code: #242d39; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); line-height: 1.55; font-size: 16px;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif; }
main, header, footer { max-width: 1060px; margin: 0 auto; padding: 0 20px; }
header { padding-top: 36px; }
.kicker { margin: 0; color: var(--soft); font-size: 14px; letter-spacing: .04em; }
h1 { margin: 4px 0 0; font-size: 30px; line-height: 1.2; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { margin: 0 0 12px; font-size: 20px; line-height: 1.3; }
h3 { margin: 0 0 6px; font-size: 15px; font-weight: 600; }
p { margin: 0 0 12px; max-width: 90ch; }
section { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; padding: 22px 24px;
  margin: 18px 0; }
section > :last-child, .pair > div > :last-child { margin-bottom: 0; }
.soft, figcaption { color: var(--soft); font-size: 14px; }
.after { margin-top: 12px; }
.badge { display: inline-block; padding: 5px 14px 5px 11px; border-radius: 999px; font-weight: 650; font-size: 16px; }
.badge.yes { color: var(--good); background: var(--good-back); }
.badge.no { color: var(--bad); background: var(--bad-back); }
.verdict { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 14px; margin: 16px 0 0; max-width: none; }
.claim { font-size: 18px; border-left: 4px solid var(--accent); padding: 2px 0 2px 14px; margin: 0 0 14px;
  overflow-wrap: anywhere; }
.claim.no { border-color: var(--bad); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(148px, 1fr)); gap: 12px; margin: 18px 0 0; }
.tiles div { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; padding: 12px 16px; }
.tiles dt { color: var(--soft); font-size: 13px; }
.tiles dd { margin: 0; font-size: 21px; font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.tiles dd.soft { font-size: 13px; font-weight: 400; }
.tiles dd.long { font-size: 17px; line-height: 1.85; }
.facts { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 32px; margin: 0 0 14px; }
.facts div { display: grid; grid-template-columns: 124px minmax(0, 1fr); gap: 12px; padding: 6px 0;
  border-bottom: 1px solid var(--rule); }
.facts .wide { grid-column: 1 / -1; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
pre { margin: 0 0 14px; padding: 11px 14px; background: var(--code); border-radius: 8px; font-size: 14px;
  line-height: 1.5; white-space: pre-wrap; overflow-wrap: anywhere; }
pre, code, .exact { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
pre code { user-select: all; -webkit-user-select: all; }
.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 20px 32px; align-items: start; }
figure { margin: 0; min-width: 0; }
svg { display: block; width: 100%; height: auto; overflow: visible; }
svg text { font-size: 12px; fill: var(--soft); font-variant-numeric: tabular-nums; }
svg .label { font-size: 12.5px; }
svg .name { fill: var(--ink); }
svg .grid { stroke: var(--rule); stroke-width: 1; fill: none; }
svg .axis, svg .zero { stroke: var(--soft); stroke-width: 1; fill: none; }
svg .line { stroke: var(--accent); stroke-width: 2; fill: none; stroke-linejoin: round; stroke-linecap: round; }
svg .dot { fill: var(--accent); }
svg .dot.last { stroke: var(--card); stroke-width: 1.6; }
svg .target { stroke: var(--good); stroke-width: 1.6; stroke-dasharray: 6 4; fill: none; }
svg .target-label { fill: var(--good); paint-order: stroke; stroke: var(--card); stroke-width: 4px; }
svg .guide { stroke: var(--soft); stroke-width: 1.2; stroke-dasharray: 5 4; fill: none; }
svg .span { stroke: var(--accent); stroke-width: 1.4; opacity: .6; fill: none; }
svg .point { fill: var(--accent); fill-opacity: .4; }
svg .hollow { stroke: var(--accent); stroke-width: 1.4; fill: var(--card); }
svg .cell { stroke: var(--rule); stroke-width: 1; }
svg .inked { fill: var(--ink); }
svg .tiny { font-size: 10.5px; }
.wide svg { min-width: 640px; }
article { margin: 0 0 18px; break-inside: avoid; }
.words { display: flex; flex-wrap: wrap; gap: 4px 9px; align-items: flex-start; max-width: none; }
.words span { overflow-wrap: anywhere; min-width: 0; }
.words .wrong { display: grid; padding: 0 7px 2px; border-radius: 6px; background: var(--bad-back); font-weight: 600; }
.wrong em, .wrong s { font-size: 12.5px; font-weight: 500; line-height: 1.35; }
p em { font-style: normal; color: var(--good); } p s { color: var(--bad); }
.error { fill: var(--error); background: var(--error); } .inside { fill: var(--inside); background: var(--inside); }
.beyond { fill: var(--beyond); background: var(--beyond); } .plus { fill: var(--plus); background: var(--plus); }
.minus { fill: var(--minus); background: var(--minus); }
.legend { list-style: none; margin: 0 0 12px; padding: 0; display: grid; gap: 6px; }
.legend li { display: flex; gap: 9px; }
.legend i { flex: none; width: 12px; height: 12px; border-radius: 3px; margin-top: .38em; }
figcaption .legend { margin-top: 8px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
caption { text-align: left; color: var(--soft); padding-bottom: 6px; }
th, td { padding: 3.5px 0 3.5px 14px; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th:first-child { padding-left: 0; text-align: left; }
thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; white-space: normal; }
tbody th { font-weight: 500; white-space: normal; overflow-wrap: anywhere; min-width: 8em; }
td { font-variant-numeric: tabular-nums; }
.exact { font-size: 13px; }
.said { text-align: left; color: var(--soft); white-space: normal; }
small { color: var(--soft); }
footer { color: var(--soft); font-size: 13.5px; padding-bottom: 40px; }
footer p { max-width: none; margin-bottom: 6px; }
@media screen and (max-width: 760px) { .pair, .facts { grid-template-columns: minmax(0, 1fr); } h1 { font-size: 25px; }
  main, header, footer { padding-left: 12px; padding-right: 12px; } section { padding: 18px 14px; }
  .facts div { grid-template-columns: 104px minmax(0, 1fr); } .claim { font-size: 16.5px; }
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 8px; } .tiles div { padding: 10px 12px; }
  .tiles div:last-child:nth-child(odd) { grid-column: 1 / -1; }
  .tiles dd { font-size: 18px; } table { font-size: 13px; } .exact { font-size: 11px; }
  th, td { padding-left: 8px; } tbody th { min-width: 5.5em; } svg text { font-size: 13.5px; }
  svg .label { font-size: 13.5px; } }
@media print { :root { color-scheme: light; --page: #fff; --card: #fff; --ink: #000; --soft: #444; --rule: #ccc;
  --accent: #1f5fbf; --good: #11703c; --good-back: #e3f4ea; --bad: #a5351c; --bad-back: #fdece7; --error: #c8412b;
  --inside: #e0a526; --beyond: #3f7fd1; --plus: #3f7fd1; --minus: #d9772f; --code: #f2f2f2; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } body { font-size: 10pt; }
  header { padding-top: 0; } section { border: 0; padding: 0; margin: 22px 0; border-radius: 0; }
  figure, .tiles div, tr, .claim, .pair, .facts { break-inside: avoid; } h2, h3 { break-after: avoid; }
  main, header, footer { padding-left: 0; padding-right: 0; }
  .tiles { grid-template-columns: repeat(5, 1fr); gap: 8px; } .soft, figcaption { font-size: 8.5pt; }
  .tiles div { padding: 8px 10px; } .tiles dd { font-size: 13pt; } .tiles dd.soft { font-size: 8pt; }
  table { font-size: 8.5pt; } .exact { font-size: 7.5pt; } th, td { padding-left: 8px; }
  tbody th { min-width: 5.5em; } .scroll { overflow: visible; } }
"""
