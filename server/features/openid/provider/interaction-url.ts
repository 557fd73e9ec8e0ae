import type { Interaction, KoaContextWithOIDC } from 'oidc-provider'

const PAGES: Record<string, string> = {
  login: '/sign-in',
  organization: '/choose-organization',
  'second-step': '/second-step',
  consent: '/consent',
}

/** The address has the id of the interaction, which only the same browser can continue. */
export function interactionUrl({ oidc }: KoaContextWithOIDC, { uid, prompt, params, session }: Interaction): string {
  const query = new URLSearchParams({ interaction: uid })
  if (prompt.name === 'login') {
    // The page must not continue with the session that the browser has.
    if (session) query.set('prompt', oidc.prompts.has('select_account') ? 'select_account' : 'login')
    if (typeof params.login_hint === 'string') query.set('login_hint', params.login_hint)
  }
  return `${PAGES[prompt.name]}?${query}`
}
