import { useState } from 'react'
import { EmptyState } from '../shared/components/EmptyState.tsx'
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
  const [created, setCreated] = useState<CreatedApiKey | null>(null)
  const { id: organizationId, slug } = overview.organization
  return (
    <>
      {created ? (
        <NewKey key={created.key} apiKey={created} slug={slug} onClose={() => setCreated(null)} />
      ) : (
        <section className="card" aria-labelledby="create">
          <h2 id="create">Create an API key</h2>
          <Controls obstacle={obstacles.manage}>
            <CreateApiKey organizationId={organizationId} role={overview.role} onCreated={setCreated} />
          </Controls>
        </section>
      )}
      {obstacles.manage === undefined ? (
        <ApiKeyTable organizationId={organizationId} role={overview.role} onCreated={setCreated} />
      ) : (
        <EmptyState title="Owners and admins see the API keys">
          <p className="soft">{obstacles.manage}</p>
          <p className="soft">Programs of the organization get their tokens with them.</p>
        </EmptyState>
      )}
    </>
  )
}
