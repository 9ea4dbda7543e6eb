// A minimal browser that keeps cookies, follows redirects within one site, and reads forms.

export interface Visited {
  readonly status: number;
  readonly url: string;
  readonly html: string;
}

type Field = [name: string, value: string];

export class Browser {
  readonly #origin: string;
  readonly #cookies = new Map<string, { value: string; path: string }>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Opens a URL and follows redirects. A URL of another site is returned, but not requested. */
  async visit(url: string, init: RequestInit = {}): Promise<Visited> {
    const target = new URL(url, this.#origin);
    if (target.origin !== this.#origin) return { status: 0, url: target.href, html: '' };
    const headers = { ...Object(init.headers), cookie: this.#cookiesFor(target.pathname) };
    const answer = await fetch(target, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) this.#keep(line, target.pathname);
    const html = await answer.text();
    const location = answer.headers.get('location');
    if (location !== null) return this.visit(new URL(location, target).href);
    return { status: answer.status, url: target.href, html };
  }

  /** Submits the form on a page. Sends its hidden fields, its checked fields and the given fields. */
  submit(page: Visited, fields: readonly Field[]): Promise<Visited> {
    const action = /<form[^>]* action="([^"]*)"/.exec(page.html)?.[1] ?? page.url;
    const body = new URLSearchParams([...ownFields(page.html), ...fields]);
    return this.visit(new URL(action, page.url).href, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: body.toString(),
    });
  }

  #cookiesFor(path: string): string {
    return [...this.#cookies]
      .filter(([, cookie]) => path === cookie.path || path.startsWith(cookie.path.replace(/\/?$/, '/')))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }

  #keep(line: string, requested: string): void {
    const [pair = '', ...attributes] = line.split(/; ?/);
    const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
    const path = attributes.find((part) => /^path=/i.test(part))?.slice(5) ?? requested;
    if (value === '') this.#cookies.delete(name);
    else this.#cookies.set(name, { value, path });
  }
}

function ownFields(html: string): Field[] {
  return [...html.matchAll(/<input ([^>]*)>/g)]
    .map(([, attributes = '']) => attributes)
    .filter((input) => / checked| ?type="hidden"/.test(` ${input}`) && !/ disabled/.test(` ${input}`))
    .map((input): Field => [attribute(input, 'name'), attribute(input, 'value')])
    .filter(([name]) => name !== '');
}

function attribute(input: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(input)?.[1]?.replaceAll('&amp;', '&') ?? '';
}

/**
 * Answers the consent page of the sandbox, and returns the URL that the browser is redirected to.
 *
 * @param workspace index in the list of workspaces (default: the workspace that the page preselects)
 */
export async function consent(
  url: string,
  decision: 'allow' | 'deny' = 'allow',
  workspace?: number,
): Promise<string> {
  const browser = new Browser(new URL(url).origin);
  const page = await browser.visit(url);
  const listed = [...page.html.matchAll(/name="workspace"[^>]* value="([^"]*)"/g)].map(([, id = '']) => id);
  const chosen: Field[] = workspace === undefined ? [] : [['workspace', listed[workspace] ?? '']];
  const others = {
    ...page,
    html: chosen.length > 0 ? page.html.replaceAll(/name="workspace"/g, 'name=""') : page.html,
  };
  return (await browser.submit(others, [...chosen, ['decision', decision]])).url;
}
