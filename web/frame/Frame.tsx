import { useQuery } from '@tanstack/react-query'
import { type MouseEvent, type ReactNode, Suspense, useRef, useState } from 'react'
import { Redirect } from 'wouter'
import { usePathname } from 'wouter/use-browser-location'
import { CallerContext } from '../shared/api/caller.ts'
import { type Caller, sessionQuery } from '../shared/api/queries.ts'
import { ChunkBoundary, FAILED_CHUNK } from '../shared/components/ChunkBoundary.tsx'
import { lazyComponent } from '../shared/components/chunk-component.ts'
import { FailedDialog } from '../shared/components/FailedDialog.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Page } from '../shared/components/Page.tsx'
import { Shell } from '../shared/components/Shell.tsx'
import { Skeleton } from '../shared/components/Skeleton.tsx'
import type { PageState } from '../shared/routing/page-state.ts'
import { BackToService } from './BackToService.tsx'
import { ImpersonationBar } from './ImpersonationBar.tsx'
import { Rail } from './Rail.tsx'
import { TopBar } from './TopBar.tsx'
import { useLeftChanges } from './use-left-changes.ts'
import { usePalette } from './use-palette.ts'

const CONTENT_ID = 'content'

const Palette = lazyComponent(async () => (await import('./Palette.tsx')).Palette)

/** The frame of pages for signed-in users. A browser that is not signed in goes to sign in first, and returns. */
export function Frame({ children }: { children: ReactNode }) {
  const path = usePathname()
  const palette = usePalette()
  useLeftChanges()
  const { data: caller, error, refetch } = useQuery(sessionQuery)
  const lastCaller = useLastCaller(caller)
  const content = useRef<HTMLElement>(null)

  /** The address stays as it is: its fragment names the open setting, and another fragment would close it. */
  function skipToContent(event: MouseEvent) {
    event.preventDefault()
    content.current?.focus()
  }

  if (caller === null) return <Redirect to="/sign-in" replace state={stateAfter(lastCaller)} />
  if (caller === undefined) return error ? <Unreachable error={error} retry={refetch} /> : <Shell />
  return (
    <CallerContext value={caller}>
      <div className="frame">
        <a className="skip-link" href={`#${CONTENT_ID}`} onClick={skipToContent}>
          Skip to the content
        </a>
        <TopBar />
        <Rail onFind={palette.open} />
        <main ref={content} id={CONTENT_ID} tabIndex={-1}>
          <ImpersonationBar />
          <BackToService />
          {/* Another user gets new components: a form never keeps the input of the previous user. */}
          <ChunkBoundary key={caller.user.id} path={path}>
            <Suspense fallback={<Skeleton lines={6} />}>{children}</Suspense>
          </ChunkBoundary>
        </main>
        {palette.isOpen && (
          <ChunkBoundary fallback={<FailedDialog cancelLabel="Close" onCancel={palette.close} />}>
            <Suspense fallback={null}>
              <Palette onClose={palette.close} />
            </Suspense>
          </ChunkBoundary>
        )}
      </div>
    </CallerContext>
  )
}

function Unreachable({ error, retry }: { error: Error; retry: () => void }) {
  return (
    <Page heading={FAILED_CHUNK.heading}>
      <FailureNotice error={error} retry={retry} />
    </Page>
  )
}

/** The caller for whom the page was drawn last. */
function useLastCaller(caller: Caller | null | undefined): Caller | undefined {
  const [last, setLast] = useState<Caller>()
  if (caller && caller !== last) setLast(caller)
  return last
}

/** Staff can't sign in as the user whom they impersonated, so they return to the page of staff about the user. */
function stateAfter(lastCaller: Caller | undefined): PageState {
  if (!lastCaller) return { returnTo: currentAddress() }
  const { id, name } = lastCaller.user
  const { impersonatedBy } = lastCaller.session
  if (!impersonatedBy) return { returnTo: currentAddress(), returningUserId: id }
  const expired = `The impersonation of ${name} has ended. Sign in as yourself to go on.`
  return { expired, returnTo: `/staff/users/${id}`, returningUserId: impersonatedBy }
}

function currentAddress(): string {
  return location.pathname + location.search + location.hash
}
