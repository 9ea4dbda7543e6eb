// GET /_sandbox returns the sandbox page. GET /_sandbox/requests/ID returns the page about one request. POST /_sandbox
// handles the forms on both pages.

import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { PAGE_PATH } from '../http/control.ts';
import { readFormBody } from '../http/form.ts';
import { type Markup, PALETTE, pageHeaders, renderPage } from '../http/html.ts';
import type { ReceivedRequests } from '../http/request-log.ts';
import { MAX_SNAPSHOT_BYTES } from '../snapshot/routes.ts';
import { loadClauses } from './clauses.ts';
import { renderDetail } from './detail.ts';
import { readFilter, renderList } from './list.ts';
import type { StateView } from './state.ts';
import { PAGE_STYLE, SCRIPT } from './style.ts';

export interface PageParts {
  readonly log: ReceivedRequests;
  readonly state: () => StateView;
  readonly clearFaults: () => void;
  readonly advance: (milliseconds: number) => void;
  readonly reset: () => Promise<void>;
  /** @throws RangeError if `document` is not a valid snapshot; the state does not change */
  readonly load: (document: string) => Promise<void>;
}

const MESSAGES: Readonly<Record<string, string>> = {
  'clear-faults': 'All faults were removed.',
  advance: 'The clock was advanced, and all due tasks have run.',
  reset: 'The sandbox was reset to its initial state.',
  load: 'The snapshot was loaded.',
};

export function routePage(app: FastifyInstance, parts: PageParts): void {
  const { log, state } = parts;

  function send(reply: FastifyReply, title: string, body: Markup): FastifyReply {
    const page = renderPage({
      title,
      style: PALETTE + PAGE_STYLE,
      body,
      formAction: "'self'",
      script: SCRIPT,
    });
    const etag = `"${createHash('sha256').update(page.html).digest('base64url')}"`;
    reply.headers({ ...pageHeaders(page), etag });
    return reply.request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(page.html);
  }

  function sendList(reply: FastifyReply, query: Readonly<Record<string, unknown>>, message?: string) {
    const requests = log.recent();
    const view = { requests, filter: readFilter(query), state: state(), message };
    return send(reply, 'Sandbox: requests and state', renderList(view));
  }

  for (const path of [PAGE_PATH, `${PAGE_PATH}/`]) {
    app.get<{ Querystring: Record<string, unknown> }>(path, (request, reply) =>
      sendList(reply, request.query, MESSAGES[String(request.query['done'])]),
    );
  }

  app.get<{ Params: { id: string }; Querystring: Record<string, unknown> }>(
    `${PAGE_PATH}/requests/:id`,
    async ({ params, query }, reply) => {
      const requests = log.recent();
      const at = requests.findIndex(({ id }) => String(id) === params.id);
      const request = requests[at];
      if (request === undefined) {
        return sendList(reply.code(404), {}, `Request ${params.id} does not exist or is no longer kept.`);
      }
      const { origins, faults } = state();
      const body = renderDetail({
        origins,
        request,
        clauses: await loadClauses(),
        faults,
        older: requests[at + 1]?.id,
        newer: requests[at - 1]?.id,
        message: MESSAGES[String(query['done'])],
      });
      return send(reply, `${request.record.method} ${request.record.path}: sandbox`, body);
    },
  );

  async function carryOut(form: FormData | undefined): Promise<string | undefined> {
    const action = form?.get('action');
    if (action === 'clear-faults') parts.clearFaults();
    else if (action === 'reset') await parts.reset();
    else if (action === 'advance') parts.advance(Number(form?.get('by') ?? Number.NaN));
    else if (action === 'load') {
      const file = form?.get('file');
      if (typeof file !== 'object' || file === null || file.size === 0)
        throw new RangeError('Choose a snapshot file');
      await parts.load(await file.text());
    } else throw new RangeError('Unknown action');
    return action;
  }

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.post(PAGE_PATH, { bodyLimit: MAX_SNAPSHOT_BYTES }, async (request, reply) => {
      const form = await readFormBody(request.body, request.headers['content-type']);
      try {
        const done = await carryOut(form);
        const back = form?.get('back');
        // Redirect only to sandbox pages, so that no form can redirect the browser to another site.
        const to = typeof back === 'string' && /^\/_sandbox\/requests\/\d+$/.test(back) ? back : PAGE_PATH;
        return reply.redirect(`${to}?done=${done}`, 303);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        return sendList(reply.code(400), {}, error.message);
      }
    });
  });
}
