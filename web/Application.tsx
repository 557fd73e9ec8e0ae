import { QueryClientProvider } from '@tanstack/react-query'
import { Suspense } from 'react'
import { type AroundNavHandler, Route, Router } from 'wouter'
import { usePathname } from 'wouter/use-browser-location'
import { Refused } from './entry/Refused.tsx'
import { OfflineBar } from './frame/OfflineBar.tsx'
import { SessionChanged } from './frame/SessionChanged.tsx'
import { ROUTES } from './routes.ts'
import { SessionDialogs } from './security/SessionDialogs.tsx'
import { queryClient, sessionQuery } from './shared/api/queries.ts'
import { useOtherUser } from './shared/api/session-of-page.ts'
import { ChunkBoundary } from './shared/components/ChunkBoundary.tsx'
import { chunkComponent, lazyComponent } from './shared/components/chunk-component.ts'
import { Shell } from './shared/components/Shell.tsx'
import { useFocusAfterRemoval } from './shared/components/use-focus-after-removal.ts'
import { useOpenedApp } from './shared/interaction/resume.ts'
import { findPage, framedPages } from './shared/pages.ts'
import { leaveGuardEntry } from './shared/routing/guard-entry.ts'
import { mayLeave } from './shared/routing/may-leave.ts'
import { useRefusal } from './shared/routing/refusal.ts'
import { withDestination } from './shared/routing/with-destination.ts'

const frame = chunkComponent(async () => {
  // The frame needs the session: the request does not wait for the code.
  void queryClient.prefetchQuery(sessionQuery)
  return (await import('./frame/Frame.tsx')).Frame
})

const OpenedInApp = lazyComponent(async () => (await import('./shared/interaction/OpenedInApp.tsx')).OpenedInApp)

/** Loads the code of a page. */
export async function preloadPage(path: string): Promise<void> {
  const page = findPage(path)
  if (page === undefined) return
  await Promise.all([ROUTES[page].preload(), framedPages.includes(page) && frame.preload()])
}

export function Application() {
  const otherUser = useOtherUser()
  useFocusAfterRemoval()
  return (
    <QueryClientProvider client={queryClient}>
      <Router hrefs={withDestination} aroundNav={goToTop}>
        <OfflineBar />
        {otherUser === null ? (
          <>
            <ShownPage />
            <SessionDialogs />
          </>
        ) : (
          <SessionChanged name={otherUser} />
        )}
      </Router>
    </QueryClientProvider>
  )
}

function ShownPage() {
  const refusal = useRefusal()
  const appName = useOpenedApp()
  if (appName !== null)
    return (
      <Suspense fallback={<Shell />}>
        <OpenedInApp name={appName} />
      </Suspense>
    )
  return refusal === null ? <CurrentPage /> : <Refused code={refusal} />
}

function CurrentPage() {
  const path = usePathname()
  const page = findPage(path)
  // For a wrong link inside the pages. The server refuses unknown addresses itself.
  if (page === undefined) return <Refused code="NOT_FOUND" />
  const Component = ROUTES[page].read()
  const Frame = frame.read()
  const isFramed = framedPages.includes(page)
  return (
    <Route path={page}>
      <ChunkBoundary key={isFramed ? 'frame' : path}>
        <Suspense fallback={<Shell />}>
          {isFramed ? (
            <Frame>
              <Component key={path} />
            </Frame>
          ) : (
            <Component />
          )}
        </Suspense>
      </ChunkBoundary>
    </Route>
  )
}

const goToTop: AroundNavHandler = (navigate, path, options) => {
  const { pathname, hash } = new URL(path, location.href)
  const isSamePage = pathname === location.pathname
  // The fragment names the open setting, so another one closes it.
  const staysOpen = isSamePage && hash === location.hash
  // A redirect replaces a page that has nothing to show any more.
  const isLeft = !staysOpen && !options?.replace
  if (isLeft && !mayLeave()) return
  navigate(withDestination(path), isLeft && leaveGuardEntry() ? { ...options, replace: true } : options)
  // The address names what is open in the page.
  if (!isSamePage || !options?.replace) scrollTo(0, 0)
}
