/// <reference path="./oidc-provider.d.ts" />
// On Node 20, which this package supports, the main entry of oidc-provider prints a warning. This file therefore imports the
// library's inner modules, which print no warning.

export { InvalidRequest, InvalidScope } from 'oidc-provider/lib/helpers/errors.js';
export { Check, Prompt } from 'oidc-provider/lib/helpers/interaction_policy/index.js';
export { Provider } from 'oidc-provider/lib/provider.js';
