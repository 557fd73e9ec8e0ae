import { EmptyState } from '../shared/components/EmptyState.tsx'
import { Controls } from './Controls.tsx'
import { InvitationTable } from './InvitationTable.tsx'
import { InviteForm } from './InviteForm.tsx'
import { OrganizationPage } from './OrganizationPage.tsx'

export function Invitations() {
  return (
    <OrganizationPage heading="Invitations" isWide>
      {({ overview, obstacles }) => (
        <>
          <section className="card" aria-labelledby="invite">
            <h2 id="invite">Invite colleagues</h2>
            <Controls obstacle={obstacles.manage}>
              <InviteForm overview={overview} />
            </Controls>
          </section>
          {overview.role === 'member' ? (
            <EmptyState title="Owners and admins see the invitations">
              <p className="soft">Ask one of them who is invited.</p>
            </EmptyState>
          ) : (
            <InvitationTable
              organizationId={overview.organization.id}
              mayManage={obstacles.manage === undefined}
              granterRole={overview.role}
              hasOpen={overview.openInvitationCount > 0}
            />
          )}
        </>
      )}
    </OrganizationPage>
  )
}
