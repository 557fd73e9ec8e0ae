import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import { Link, useParams } from 'wouter'
import type { GetCountedOrganizationResponse } from '../../../server/features/staff/organizations/schemas.ts'
import { hasCode } from '../../shared/api/request-failed.ts'
import { CopyField } from '../../shared/components/CopyField.tsx'
import { FailureNotice } from '../../shared/components/FailureNotice.tsx'
import { FramePage } from '../../shared/components/FramePage.tsx'
import { Skeleton } from '../../shared/components/Skeleton.tsx'
import { day } from '../../shared/format/moment.ts'
import { counted, number } from '../../shared/format/number.ts'
import { InvitationList, type InvitationPage } from '../common/InvitationList.tsx'
import { NotThere } from '../common/NotThere.tsx'
import { getStaffEndpoint } from '../common/staff-endpoints.ts'
import { Tabs, useTab } from '../common/Tabs.tsx'
import { useIsAdministrator } from '../common/use-is-administrator.ts'
import { usePage } from '../common/use-page.ts'
import { InviteOwner } from './InviteOwner.tsx'
import { Members } from './Members.tsx'

type StaffOrganization = Static<typeof GetCountedOrganizationResponse>['organization']

const TABS = { about: 'About', members: 'Members', invitations: 'Invitations' }

const organizationQuery = (id: string) =>
  queryOptions({
    queryKey: ['staff', 'get-organization', id],
    queryFn: () => getStaffEndpoint<Static<typeof GetCountedOrganizationResponse>>('get-organization', { id }),
  })

export function Organization() {
  const { id } = useParams<{ id: string }>()
  const tab = useTab(TABS)
  const { data, error, refetch } = useQuery(organizationQuery(id))
  if (hasCode(error, 'ORGANIZATION_NOT_FOUND')) return <NotThere kind="organization" id={id} />
  const organization = data?.organization
  return (
    <FramePage heading={organization?.name ?? 'Organization'} lead={organization?.slug} isWide>
      <Tabs label="About this organization" tabs={TABS} current={tab} />
      {error && <FailureNotice error={error} retry={refetch} />}
      {!error && !organization && <Skeleton lines={6} />}
      {organization && tab === 'about' && <About organization={organization} />}
      {organization && tab === 'members' && <Members organizationId={id} />}
      {organization && tab === 'invitations' && <Invitations organizationId={id} />}
    </FramePage>
  )
}

function About({ organization }: { organization: StaffOrganization }) {
  const isAdministrator = useIsAdministrator()
  const { id, slug, createdAt, ownerCount, memberCount, openInvitationCount, apiKeyCount, oauthClientCount } =
    organization
  return (
    <section className="card" aria-labelledby="about">
      <h2 id="about">{titleOf(organization)}</h2>
      <dl className="facts">
        <dt>Address</dt>
        <dd>/organizations/{slug}</dd>
        <dt>Created</dt>
        <dd>{day(new Date(createdAt))}</dd>
        <dt>Members</dt>
        <dd>
          {number(memberCount)}
          {ownerCount > 0 && `, of which ${counted(ownerCount, 'owner')}`}
        </dd>
        <dt>Open invitations</dt>
        <dd>{number(openInvitationCount)}</dd>
        <dt>API keys</dt>
        <dd>{number(apiKeyCount)}</dd>
        <dt>Apps</dt>
        <dd>{number(oauthClientCount)}</dd>
      </dl>
      <CopyField label="Id" value={id} />
      {ownerCount === 0 && <InviteOwner organizationId={id} />}
      {isAdministrator && <Link href={`/staff/audit?id=${id}`}>Audit events of this organization</Link>}
    </section>
  )
}

function titleOf({ ownerCount, memberCount }: StaffOrganization): string {
  if (ownerCount > 0) return 'About'
  return memberCount === 0 ? 'This organization has no owner yet' : 'Every owner of this organization is banned'
}

function Invitations({ organizationId }: { organizationId: string }) {
  return <InvitationList {...usePage<InvitationPage>('list-invitations', { organizationId })} />
}
