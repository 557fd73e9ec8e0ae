import { Link } from 'wouter'
import { EmptyState } from '../shared/components/EmptyState.tsx'
import { Clients } from '../shared/oauth-clients/Clients.tsx'
import { OrganizationPage, type Shown } from './OrganizationPage.tsx'
import { IMPERSONATION } from './obstacles.ts'

export function Apps() {
  return (
    <OrganizationPage heading="Apps" isWide>
      {(shown) => <AppsOf {...shown} />}
    </OrganizationPage>
  )
}

function AppsOf({ overview, obstacles }: Shown) {
  const { id, name } = overview.organization
  if (obstacles.own === IMPERSONATION) {
    return (
      <EmptyState title="Only the owners themselves see the apps">
        <p className="soft">{IMPERSONATION}</p>
      </EmptyState>
    )
  }
  if (obstacles.own !== undefined) {
    return (
      <EmptyState title="Owners connect the apps">
        <p className="soft">{obstacles.own}</p>
        <p className="soft">
          The apps that you use yourself are under <Link href="/account/security#apps">Security</Link>.
        </p>
      </EmptyState>
    )
  }
  return (
    <Clients
      owner={{ organizationId: id }}
      lead={`Users sign in to it with their account here. Each user is asked first what the app of ${name} may see.`}
    />
  )
}
