/// <reference path="./oidc-provider.d.ts" />
// The front door of oidc-provider prints a notice on the console whenever it is loaded on Node 20, which this
// package supports and tests. Its parts load without that notice, so the console need not be silenced.

export { InvalidRequest, InvalidScope } from 'oidc-provider/lib/helpers/errors.js';
export { Check, Prompt } from 'oidc-provider/lib/helpers/interaction_policy/index.js';
export { Provider } from 'oidc-provider/lib/provider.js';
