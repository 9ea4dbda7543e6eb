// The library's inner modules have no types. These declarations use the types of the main entry.
declare module 'oidc-provider/lib/provider.js' {
  export { Provider } from 'oidc-provider';
}
declare module 'oidc-provider/lib/helpers/errors.js' {
  import { errors } from 'oidc-provider';
  export import AccessDenied = errors.AccessDenied;
  export import InvalidRequest = errors.InvalidRequest;
  export import InvalidScope = errors.InvalidScope;
}
declare module 'oidc-provider/lib/helpers/interaction_policy/index.js' {
  import { interactionPolicy } from 'oidc-provider';
  export import Check = interactionPolicy.Check;
  export import Prompt = interactionPolicy.Prompt;
}
