/** Paths that the server serves only when their `next` is allowed, so what they hold in it can be trusted. */
export const pagesWithNext = [
  '/account',
  '/account/security',
  '/forgot-password',
  '/invitation',
  '/reset-password',
  '/sign-in',
  '/sign-up',
]
