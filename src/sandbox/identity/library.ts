/// <reference path="./oidc-provider.d.ts" />
// The main entry of oidc-provider prints a warning when loaded on Node 20, which this package supports. The
// inner modules of oidc-provider print no warning, so this file imports them directly.

export { InvalidRequest, InvalidScope } from 'oidc-provider/lib/helpers/errors.js';
export { Check, Prompt } from 'oidc-provider/lib/helpers/interaction_policy/index.js';
export { Provider } from 'oidc-provider/lib/provider.js';
