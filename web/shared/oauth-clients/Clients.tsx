import { type ReactNode, useState } from 'react'
import { ClientTable } from './ClientTable.tsx'
import { CreateClient } from './CreateClient.tsx'
import type { NewOAuthClient, Owner } from './clients.ts'
import { NewClient } from './NewClient.tsx'

/** The apps of an organization or of the service, for those who manage them. */
export function Clients({ owner, lead }: { owner: Owner; lead: ReactNode }) {
  const [shown, setShown] = useState<NewOAuthClient | null>(null)
  return (
    <>
      {shown ? (
        <NewClient key={shown.client_secret} client={shown} onClose={() => setShown(null)} />
      ) : (
        <section className="card" aria-labelledby="create">
          <h2 id="create">Connect an app</h2>
          <p className="soft">{lead}</p>
          <CreateClient owner={owner} onCreated={setShown} />
        </section>
      )}
      <ClientTable owner={owner} onRotated={setShown} />
    </>
  )
}
