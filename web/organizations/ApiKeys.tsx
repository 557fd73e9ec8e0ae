import { EmptyState } from '../shared/components/EmptyState.tsx'
import { useShownOnce } from '../shared/routing/use-shown-once.ts'
import { ApiKeyTable } from './ApiKeyTable.tsx'
import { Controls } from './Controls.tsx'
import { CreateApiKey } from './CreateApiKey.tsx'
import { NewKey } from './NewKey.tsx'
import { OrganizationPage, type Shown } from './OrganizationPage.tsx'
import type { CreatedApiKey } from './queries.ts'

export function ApiKeys() {
  return (
    <OrganizationPage heading="API keys" isWide>
      {(shown) => <ApiKeysOf {...shown} />}
    </OrganizationPage>
  )
}

function ApiKeysOf({ overview, obstacles }: Shown) {
  const newKey = useShownOnce<CreatedApiKey>()
  const { shown, confirmation } = newKey
  const { id: organizationId, slug } = overview.organization
  return (
    <>
      {shown ? (
        <NewKey key={shown.key} apiKey={shown} slug={slug} confirmation={confirmation} />
      ) : (
        <section className="card" aria-labelledby="create">
          <h2 id="create">Create an API key</h2>
          <Controls obstacle={obstacles.manage}>
            <CreateApiKey organizationId={organizationId} role={overview.role} newKey={newKey} />
          </Controls>
        </section>
      )}
      {obstacles.manage === undefined ? (
        <ApiKeyTable organizationId={organizationId} role={overview.role} newKey={newKey} />
      ) : (
        <EmptyState title="Owners and admins see the API keys">
          <p className="soft">{obstacles.manage}</p>
          <p className="soft">Programs of the organization get their tokens with them.</p>
        </EmptyState>
      )}
    </>
  )
}
