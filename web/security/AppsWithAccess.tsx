import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { refreshPages } from '../shared/api/queries.ts'
import { request } from '../shared/api/request.ts'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { OutsideLink } from '../shared/components/OutsideLink.tsx'
import { Skeleton } from '../shared/components/Skeleton.tsx'
import { day, moment } from '../shared/format/moment.ts'
import { SELF_REGISTERED } from '../shared/format/self-registered.ts'
import { InlineConfirm } from '../shared/forms/InlineConfirm.tsx'
import { type App, appsQuery } from './queries.ts'
import { whatItSees } from './what-it-sees.ts'

export function AppsWithAccess() {
  const { data: apps, error, isPending, refetch } = useQuery(appsQuery)
  const section = useRef<HTMLElement>(null)

  // The browser looks for the place that the fragment names before the page has loaded.
  useEffect(() => {
    if (location.hash === `#${section.current?.id}`) section.current?.scrollIntoView()
  }, [])

  return (
    <section ref={section} className="card" id="apps" aria-labelledby="apps-title">
      <h2 id="apps-title">Apps with access</h2>
      {isPending && <Skeleton lines={2} />}
      {error && <FailureNotice error={error} retry={refetch} />}
      {apps?.length === 0 && <p className="soft">No app has access to your account.</p>}
      <ul className="rows">
        {apps?.map((app) => (
          <AppRow key={app.clientId} app={app} />
        ))}
      </ul>
    </section>
  )
}

function AppRow({ app }: { app: App }) {
  const { clientId, name, uri, organizationName, isSelfRegistered, scopes, firstUsedAt, lastUsedAt } = app
  return (
    <li className="row">
      <div className="row-text">
        <p>
          {uri === null ? (
            name
          ) : (
            <OutsideLink href={uri} isHostShown={isSelfRegistered}>
              {name}
            </OutsideLink>
          )}
          {organizationName !== null && <span className="soft"> of {organizationName}</span>}
        </p>
        {isSelfRegistered && <p className="soft">{SELF_REGISTERED}.</p>}
        <p className="soft">
          <span>{whatItSees(scopes)}</span>{' '}
          <span>
            {lastUsedAt === null
              ? `First used ${day(new Date(firstUsedAt))}; signed out now.`
              : `Last used ${moment(new Date(lastUsedAt))}.`}
          </span>
        </p>
      </div>
      <InlineConfirm
        label="End access…"
        about={name}
        question={
          <>
            End the access of <strong>{name}</strong>? It gets nothing more from us. What it got before lets it act for
            you at other services for up to 15 minutes. What it has stored stays there, and it may show you as signed in
            for a while. You can sign in to it again later.
          </>
        }
        confirmLabel="End the access"
        pendingLabel="One moment…"
        action={() => request('/api/auth/oauth2/revoke-app', { clientId })}
        onDone={refreshPages}
      />
    </li>
  )
}
