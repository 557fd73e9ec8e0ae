import { Link } from 'wouter'
import { day } from '../shared/format/moment.ts'
import { number } from '../shared/format/number.ts'
import { Checklist } from './Checklist.tsx'
import { ExpiringKeys } from './ExpiringKeys.tsx'
import { LatestEvents } from './LatestEvents.tsx'
import { OrganizationPage } from './OrganizationPage.tsx'
import type { Overview as OverviewData } from './queries.ts'
import { roleCounts } from './roles.ts'

export function Overview() {
  return (
    <OrganizationPage heading="Overview">
      {({ overview, obstacles }) => (
        <>
          {obstacles.manage === undefined && <Checklist overview={overview} />}
          <ExpiringKeys overview={overview} />
          <Facts overview={overview} />
          {overview.role !== 'member' && <LatestEvents organizationId={overview.organization.id} />}
        </>
      )}
    </OrganizationPage>
  )
}

function Facts({ overview }: { overview: OverviewData }) {
  const { organization, memberCounts, openInvitationCount, apiKeyCount, oauthClientCount, clientCode } = overview
  const home = `/organizations/${organization.slug}`
  return (
    <section className="card" aria-labelledby="numbers">
      <h2 id="numbers">At a glance</h2>
      <dl className="facts">
        <dt>Members</dt>
        <dd>
          <Link href={`${home}/members`}>{roleCounts(memberCounts)}</Link>
        </dd>
        <dt>Open invitations</dt>
        <dd>
          <Link href={`${home}/invitations`}>{number(openInvitationCount)}</Link>
        </dd>
        <dt>API keys</dt>
        <dd>
          <Link href={`${home}/api-keys`}>{number(apiKeyCount)}</Link>
        </dd>
        <dt>Apps</dt>
        <dd>
          <Link href={`${home}/apps`}>{number(oauthClientCount)}</Link>
        </dd>
        <dt>Client code in tokens</dt>
        <dd>{clientCode || <Link href={`${home}/settings`}>None</Link>}</dd>
        <dt>Created</dt>
        <dd>{day(new Date(organization.createdAt))}</dd>
      </dl>
    </section>
  )
}
