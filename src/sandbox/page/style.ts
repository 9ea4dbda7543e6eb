// The style sheet and the script of the sandbox page. The page also works without the script. The script updates the page,
// applies the filter while the user types, and copies commands.

export const PAGE_STYLE = `
:root{--bad:#b3261e;--warned:#8a4b00;--good:#1b6e3c;--code:#eef1f5}
@media (prefers-color-scheme:dark){:root{--bad:#ff9d94;--warned:#f0b35e;--good:#7fd6a1;--code:#161b22}}
body{font-size:15px}
header,main,footer{max-width:82rem;margin:0 auto;padding:0 clamp(.8rem,3vw,1.6rem)}
header{padding-top:1rem}
h1{font-size:1.35rem;line-height:1.3;margin:.2rem 0}
h2{font-size:1.05rem;margin:0 0 .5rem}
h3{font-size:.95rem;margin:1rem 0 .3rem}
p{margin:.35rem 0}
.soft,small{font-size:.9rem}
.columns{display:grid;grid-template-columns:minmax(0,1fr);gap:1rem;align-items:start;margin-top:.8rem}
@media (min-width:64rem){.columns{grid-template-columns:minmax(0,1fr) 24rem}}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:clamp(.8rem,2vw,1.2rem);min-width:0}
.card+.card{margin-top:1rem}
.note{border:1px solid var(--warn-line);background:var(--warn);border-radius:10px;padding:.6rem .9rem;margin:.8rem 0}
.note code{background:none}
.bar{display:flex;flex-wrap:wrap;gap:.5rem .9rem;align-items:end;margin-bottom:.6rem}
.bar label{display:grid;gap:.15rem;font-size:.88rem;color:var(--soft)}
.bar .check{display:flex;align-items:center;gap:.4rem;min-height:2.4rem;color:var(--ink)}
input,select,button{font:inherit;color:inherit;background:var(--card);border:1px solid var(--edge);border-radius:8px;min-height:2.4rem;padding:.2rem .7rem;max-width:100%}
input[type=checkbox]{min-height:0;width:1.15rem;height:1.15rem;accent-color:var(--go)}
input[type=file]{padding:.35rem}
button{cursor:pointer;font-weight:600}
[hidden]{display:none!important}
table{border-collapse:collapse;width:100%}
th{text-align:left;font-size:.85rem;color:var(--soft);font-weight:600}
th,td{padding:.4rem .6rem .4rem 0;border-bottom:1px solid var(--line);vertical-align:top}
td.figure,th.figure{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
td.when{white-space:nowrap;font-variant-numeric:tabular-nums;color:var(--soft)}
.good{color:var(--good)}.bad{color:var(--bad)}.warned{color:var(--warned)}
.status{font-weight:600}
.requests small{white-space:nowrap}
@media (min-width:64rem){header nav[aria-label^=Parts]{display:none}}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.3rem .9rem;margin:.4rem 0}
dt{color:var(--soft)}
dd{margin:0}
pre{background:var(--code);border-radius:8px;padding:.7rem .9rem;margin:.4rem 0;white-space:pre-wrap;max-height:32rem;overflow:auto}
.clauses code{white-space:nowrap}
.clauses td:first-child{width:1%}
details{margin:.4rem 0}
nav{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem}
form{margin:.4rem 0}
footer{padding-top:1rem;padding-bottom:1.5rem}
@media (max-width:40rem){
 table.requests,table.requests tbody,table.requests td{display:block}
 table.requests thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
 table.requests tr{display:flex;flex-wrap:wrap;gap:0 .9rem;padding:.5rem 0;border-bottom:1px solid var(--line)}
 table.requests td{border:0;padding:.05rem 0}
 table.requests .name{flex-basis:100%;order:-1}
 .requests small{white-space:normal}
 table.clauses,table.clauses tbody,table.clauses tr,table.clauses td{display:block}
 table.clauses thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
 table.clauses tr{padding:.4rem 0;border-bottom:1px solid var(--line)}
 table.clauses td{border:0;padding:0}
 table.clauses td:first-child{width:auto}
 dl{grid-template-columns:1fr;gap:0}
 dd{margin-bottom:.4rem}
}
`;

export const SCRIPT = `
(() => {
  const byId = (id) => document.getElementById(id);
  for (const button of document.querySelectorAll('button[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      const text = byId(button.dataset.copy).textContent;
      const said = await navigator.clipboard.writeText(text).then(() => 'Copied', () => 'Cannot copy');
      byId('said').textContent = said;
      const label = button.textContent;
      button.textContent = said;
      setTimeout(() => { button.textContent = label; }, 1500);
    });
  }
  const filter = byId('filter');
  if (filter === null) return;
  const live = byId('live');
  live.parentElement.hidden = false;
  let version = '';
  let running = false;
  const address = () => new URLSearchParams([...new FormData(filter)].filter(([, value]) => value !== '')).toString();
  const update = async () => {
    if (running) return;
    running = true;
    try {
      const query = address();
      const response = await fetch('/_sandbox?' + query, { headers: { 'if-none-match': version }, cache: 'no-store' });
      byId('said').textContent = '';
      if (response.status !== 200) return;
      const page = new DOMParser().parseFromString(await response.text(), 'text/html');
      version = response.headers.get('etag');
      const focused = document.activeElement?.dataset?.key;
      for (const id of ['requests', 'state']) byId(id).replaceChildren(...page.getElementById(id).childNodes);
      if (focused) document.querySelector('[data-key="' + CSS.escape(focused) + '"]')?.focus();
      if (query !== address()) setTimeout(update);
    } catch {
      byId('said').textContent = 'The sandbox does not respond.';
    } finally {
      running = false;
    }
  };
  filter.addEventListener('input', () => {
    const query = address();
    history.replaceState(null, '', query === '' ? '/_sandbox' : '/_sandbox?' + query);
    update();
  });
  filter.addEventListener('submit', (event) => { event.preventDefault(); update(); });
  setInterval(() => { if (live.checked && !document.hidden) update(); }, 1000);
})();
`;
