type PageTraits = {
  /** The page is for signed-in users, and is shown in the frame with the navigation. */
  isFramed?: true
  /** The page keeps `next`, the service to return to. The server refuses the page with a `next` that is not allowed. */
  hasNext?: true
  /** The page keeps `interaction`: an app waits until the user has signed in, chosen or allowed. */
  hasInteraction?: true
  /** An emailed link opens the page, with a secret in the fragment. */
  hasSecret?: true
  /** The page exists on localhost without SMTP_URL only. */
  isDevelopment?: true
}

/** The only list of pages. The server serves these pages, the router shows them, and the tests visit them. */
export const PAGES = {
  '/': {},
  '/account': { isFramed: true, hasNext: true },
  '/account/security': { isFramed: true, hasNext: true },
  '/api/auth/reference': {},
  '/change-email': { hasSecret: true },
  '/choose-organization': { hasInteraction: true },
  '/consent': { hasInteraction: true },
  '/delete-account': { hasSecret: true },
  '/dev/mailbox': { isDevelopment: true },
  '/device': {},
  '/forgot-password': { hasNext: true, hasInteraction: true },
  '/invitation': { hasNext: true, hasInteraction: true },
  '/organizations/:slug': { isFramed: true },
  '/organizations/:slug/api-keys': { isFramed: true },
  '/organizations/:slug/apps': { isFramed: true },
  '/organizations/:slug/invitations': { isFramed: true },
  '/organizations/:slug/members': { isFramed: true },
  '/organizations/:slug/settings': { isFramed: true },
  '/organizations/new': { isFramed: true },
  '/reset-password': { hasNext: true, hasSecret: true },
  '/second-step': { hasInteraction: true },
  '/setup': { hasSecret: true },
  '/sign-in': { hasNext: true, hasInteraction: true },
  '/sign-up': { hasNext: true, hasInteraction: true },
  '/staff': { isFramed: true },
  '/staff/apps': { isFramed: true },
  '/staff/audit': { isFramed: true },
  '/staff/emails': { isFramed: true },
  '/staff/invitations': { isFramed: true },
  '/staff/organizations': { isFramed: true },
  '/staff/organizations/:id': { isFramed: true },
  '/staff/system': { isFramed: true },
  '/staff/users': { isFramed: true },
  '/staff/users/:id': { isFramed: true },
  '/undo-change-email': { hasSecret: true },
  '/verify-email': { hasSecret: true },
} satisfies Record<string, PageTraits>

export type PagePath = keyof typeof PAGES

export const pagePaths = Object.keys(PAGES) as PagePath[]
export const pagesWithNext = pathsWith('hasNext')
export const pagesWithInteraction = pathsWith('hasInteraction')
export const pagesWithSecret = pathsWith('hasSecret')
export const developmentPages = pathsWith('isDevelopment')
export const framedPages = pathsWith('isFramed')

/** The page that shows a path. A page without parameters wins over a page with parameters. */
export function findPage(path: string): PagePath | undefined {
  return pagePaths.find((page) => page === path) ?? pagePaths.find((page) => matches(page, path))
}

function matches(page: string, path: string): boolean {
  const names = page.split('/')
  const values = path.split('/')
  return names.length === values.length && names.every((name, at) => name === values[at] || isFilled(name, values[at]))
}

function isFilled(name: string, value: string | undefined): boolean {
  return name.startsWith(':') && value !== undefined && value !== ''
}

function pathsWith(trait: keyof PageTraits): string[] {
  const pages: Record<string, PageTraits> = PAGES
  return pagePaths.filter((path) => pages[path]?.[trait])
}
