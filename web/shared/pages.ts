type PageTraits = {
  /** The page keeps `next`, the service to return to. The server serves it with an allowed `next` only. */
  hasNext?: true
  /** An emailed link opens the page, with a secret in the fragment. */
  hasSecret?: true
  /** The page exists on localhost without SMTP_URL only. */
  isDevelopment?: true
}

/** The one list of pages. The server serves them, the document shows them, the tests visit them. */
export const PAGES = {
  '/': {},
  '/account': { hasNext: true },
  '/account/security': { hasNext: true },
  '/api/auth/reference': {},
  '/change-email': { hasSecret: true },
  '/delete-account': { hasSecret: true },
  '/dev/mailbox': { isDevelopment: true },
  '/forgot-password': { hasNext: true },
  '/invitation': { hasNext: true },
  '/reset-password': { hasNext: true, hasSecret: true },
  '/setup': { hasSecret: true },
  '/sign-in': { hasNext: true },
  '/sign-up': { hasNext: true },
  '/undo-change-email': { hasSecret: true },
  '/verify-email': { hasSecret: true },
} satisfies Record<string, PageTraits>

export type PagePath = keyof typeof PAGES

export const pagePaths = Object.keys(PAGES)
export const pagesWithNext = pathsWith('hasNext')
export const pagesWithSecret = pathsWith('hasSecret')
export const developmentPages = pathsWith('isDevelopment')

function pathsWith(trait: keyof PageTraits): string[] {
  const pages: Record<string, PageTraits> = PAGES
  return pagePaths.filter((path) => pages[path]?.[trait])
}
