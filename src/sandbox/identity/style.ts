// How the consent page looks. Text stands out from its ground by 4.5:1 at least, lines of controls by 3:1.

export const STYLE = `
:root{color-scheme:light dark;--ink:#1b2330;--soft:#566173;--line:#d7dde6;--edge:#7b8696;--page:#f3f5f8;--card:#fff;--go:#1f5fd6;--on-go:#fff;--warn-line:#c78a3c;--warn:#fff6e8}
@media (prefers-color-scheme:dark){:root{--ink:#e8ecf3;--soft:#a9b4c4;--line:#39424f;--edge:#7d899a;--page:#12161c;--card:#1b2129;--go:#7fb0ff;--on-go:#0b1729;--warn-line:#b98642;--warn:#2a2418}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
main,footer{max-width:36rem;margin:0 auto}
main{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:clamp(1.1rem,4vw,2rem);margin-top:clamp(0rem,5vw,3rem)}
footer{padding:1rem clamp(1.1rem,4vw,2rem)}
h1{font-size:1.45rem;line-height:1.25;margin:0 0 .35rem}
h2{font-size:1.05rem;margin:1.5rem 0 .1rem}
p{margin:.3rem 0}
a{color:var(--go)}
.soft,small{color:var(--soft);font-size:.92rem}
small{display:block}
code,.address{font:.88em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
details{margin:.5rem 0 0}
summary{cursor:pointer;color:var(--go);padding:.4rem 0}
ul{margin:.3rem 0;padding-left:1.2rem}
li{padding:.25rem 0}
fieldset{border:0;margin:1.1rem 0 0;padding:0;min-width:0}
legend{font-weight:600;padding:0;margin-bottom:.4rem}
h2+.soft+fieldset{margin-top:.6rem}
.row{display:grid;grid-template-columns:1.25rem 1fr;gap:0 .75rem;align-items:start;padding:.6rem 0;border-top:1px solid var(--line)}
label.row{cursor:pointer}
.row input{width:1.2rem;height:1.2rem;margin:.15rem 0 0;accent-color:var(--go)}
.tick::before{content:"✓";color:var(--soft);padding-left:.25rem}
.left-out{margin-top:1.2rem;padding:.7rem 1rem;border:1px solid var(--warn-line);border-radius:10px;background:var(--warn)}
.left-out h2{margin-top:0}
.left-out code{color:var(--soft)}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.2rem;padding:1.1rem 0 .5rem;border-top:1px solid var(--line)}
.actions button{flex:1 1 6rem;min-height:2.9rem;border-radius:10px;border:1px solid var(--edge);background:transparent;color:inherit;font:inherit;font-weight:600;cursor:pointer}
.actions .go{background:var(--go);border-color:var(--go);color:var(--on-go)}
:focus-visible{outline:3px solid var(--go);outline-offset:2px;border-radius:4px}
`;
