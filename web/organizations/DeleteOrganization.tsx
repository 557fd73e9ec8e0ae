import { authentication } from '../shared/api/authentication.ts'
import { counted } from '../shared/format/number.ts'
import { InlineConfirm } from '../shared/forms/InlineConfirm.tsx'
import type { Overview } from './queries.ts'
import { memberTotal } from './roles.ts'
import { useLeavePages } from './use-leave-pages.ts'

export function DeleteOrganization({ overview }: { overview: Overview }) {
  const { organization } = overview
  const leavePages = useLeavePages(organization.slug)

  return (
    <InlineConfirm
      label="Delete…"
      about={organization.name}
      question={
        <>
          <strong>{organization.name}</strong> is deleted for good, with {whatGoes(overview)}. The accounts of its
          members stay. We can’t restore it.
        </>
      }
      confirmLabel="Delete this organization"
      pendingLabel="Deleting…"
      typedName={organization.slug}
      action={() => authentication.organization.delete({ organizationId: organization.id })}
      onDone={() => leavePages(`${organization.name} is deleted.`)}
    />
  )
}

function whatGoes({ memberCounts, openInvitationCount, apiKeyCount, oauthClientCount }: Overview): string {
  return [
    counted(memberTotal(memberCounts), 'membership'),
    counted(openInvitationCount, 'open invitation'),
    counted(apiKeyCount, 'API key'),
    `and ${counted(oauthClientCount, 'app')}`,
  ].join(', ')
}
