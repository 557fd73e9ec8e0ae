import type { ReactNode } from 'react'
import { useShownOnce } from '../routing/use-shown-once.ts'
import { ClientTable } from './ClientTable.tsx'
import { CreateClient } from './CreateClient.tsx'
import type { NewOAuthClient, Owner } from './clients.ts'
import { NewClient } from './NewClient.tsx'

/** The apps of an organization or of the service, for those who manage them. */
export function Clients({ owner, lead }: { owner: Owner; lead: ReactNode }) {
  const newClient = useShownOnce<NewOAuthClient>(({ client_secret }) => client_secret !== undefined)
  const { shown, confirmation } = newClient
  return (
    <>
      {shown ? (
        <NewClient key={shown.client_secret} client={shown} confirmation={confirmation} />
      ) : (
        <section className="card" aria-labelledby="create">
          <h2 id="create">Connect an app</h2>
          <p className="soft">{lead}</p>
          <CreateClient owner={owner} newClient={newClient} />
        </section>
      )}
      <ClientTable owner={owner} newClient={newClient} />
    </>
  )
}
