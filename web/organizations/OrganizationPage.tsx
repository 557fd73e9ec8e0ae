import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode, useState } from 'react'
import { Link, useParams } from 'wouter'
import { useCaller } from '../shared/api/caller.ts'
import { organizationsQuery } from '../shared/api/queries.ts'
import { hasCode } from '../shared/api/request-failed.ts'
import { AccountLink } from '../shared/components/AccountLink.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { FramePage } from '../shared/components/FramePage.tsx'
import { Notice } from '../shared/components/Notice.tsx'
import { Skeleton } from '../shared/components/Skeleton.tsx'
import { roleWithArticle } from '../shared/format/role-with-article.ts'
import { TwoStepBanner } from '../shared/two-step/TwoStepBanner.tsx'
import { getObstacles, type Obstacles } from './obstacles.ts'
import { type Overview, overviewQuery } from './queries.ts'

export type Shown = { overview: Overview; obstacles: Obstacles }

type OrganizationPageProps = {
  heading: string
  isWide?: boolean
  children: (shown: Shown) => ReactNode
}

/** A page of the organization whose slug is in the address. It never uses the active organization of the session. */
export function OrganizationPage({ heading, isWide = false, children }: OrganizationPageProps) {
  const { slug } = useParams<{ slug: string }>()
  const { session } = useCaller()
  const { data: overview, error, refetch } = useQuery(overviewQuery(slug))
  const isLost = hasCode(error, 'ORGANIZATION_NOT_FOUND')
  const [hasShown, setShown] = useState(false)
  if (overview && !isLost && !hasShown) setShown(true)
  // A page that is shown already may show a new API key, which no other page shows.
  if (isLost && !hasShown) return <NotAMember slug={slug} />
  const isImpersonated = Boolean(session.impersonatedBy)
  return (
    <FramePage
      heading={heading}
      title={`${heading} · ${overview?.organization.name ?? slug}`}
      isWide={isWide}
      lead={overview && !isLost && <Place overview={overview} />}
    >
      {isLost && <Lost slug={slug} shownId={overview?.organization.id} />}
      {error && !isLost && <FailureNotice error={error} retry={refetch} />}
      {!overview && !error && <Skeleton lines={6} />}
      {overview && <TwoStepBanner organizationId={overview.organization.id} />}
      {/* The slug may pass to another organization, which must not get what the user has entered for this one. */}
      {overview && (
        <Fragment key={overview.organization.id}>
          {children({ overview, obstacles: getObstacles(overview.role, isImpersonated) })}
        </Fragment>
      )}
    </FramePage>
  )
}

function Place({ overview: { organization, role } }: { overview: Overview }) {
  return (
    <>
      <strong>{organization.name}</strong>. You are {roleWithArticle(role)}.
    </>
  )
}

function NotAMember({ slug }: { slug: string }) {
  return (
    <FramePage heading="You are not a member here" title={`Not a member · ${slug}`}>
      <div className="card">
        <Lost slug={slug} />
        <AccountLink />
      </div>
    </FramePage>
  )
}

/** @param shownId of the organization that the page still shows */
function Lost({ slug, shownId }: { slug: string; shownId?: string | undefined }) {
  const { data: organizations, isFetching } = useQuery(organizationsQuery)
  const moved = organizations?.find((organization) => organization.id === shownId && organization.slug !== slug)
  if (moved) {
    return (
      <Notice kind="information">
        <p>
          {moved.name} has another address now. <Link href={`/organizations/${moved.slug}`}>Go there</Link>
        </p>
      </Notice>
    )
  }
  if (shownId !== undefined && isFetching) return null
  return (
    <Notice kind="problem">
      <p>
        No organization of yours has the address <strong>{slug}</strong>. Either you were removed from it, or it has
        been deleted or has another address now. Ask one of its owners.
      </p>
      {shownId !== undefined && <Link href="/account">Go to your account</Link>}
    </Notice>
  )
}
