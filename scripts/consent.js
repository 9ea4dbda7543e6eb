// Gives consent on the sandbox's consent page over HTTP. Like a browser, the script keeps cookies, follows redirects and sends
// the form.

const allow = (form) => {
  const fields = new URLSearchParams({ decision: 'allow' });
  for (const [input] of form.matchAll(/<input[^>]*\bchecked\b[^>]*>/g)) {
    const [, name] = /\bname="([^"]*)"/.exec(input) ?? [];
    const [, value] = /\bvalue="([^"]*)"/.exec(input) ?? [];
    if (name !== undefined && value !== undefined) fields.append(name, value);
  }
  return fields;
};

/**
 * Opens `address`, consents to all preselected scopes, and follows the redirects to the application's redirect address.
 *
 * @returns {Promise<string>} the text of the final page
 */
export async function consent(address) {
  const cookies = new Map();
  let url = new URL(address);
  let request = {};
  for (let step = 0; step < 20; step += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      ...request,
      redirect: 'manual',
      headers: { ...request.headers, cookie },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = response.headers.get('location');
    const page = await response.text();
    const form = /<form method="post" action="([^"]*)">/.exec(page);
    if (location !== null) {
      url = new URL(location, url);
      request = {};
    } else if (form) {
      url = new URL(form[1].replaceAll('&amp;', '&'), url);
      request = { method: 'POST', body: allow(page) };
    } else {
      return page;
    }
  }
  throw new Error('The login had too many redirects');
}
