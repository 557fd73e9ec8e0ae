import { useEffect, useRef } from 'react'
import { CopyField } from '../components/CopyField.tsx'
import { type Confirmation, StoredConfirmation } from '../components/StoredConfirmation.tsx'
import type { NewOAuthClient } from './clients.ts'

type NewClientProps = { client: NewOAuthClient; confirmation: Confirmation }

/** The client id and the secret, which no other page shows. */
export function NewClient({ client: { client_id, client_name, client_secret }, confirmation }: NewClientProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <section className="card" aria-labelledby="new-client">
      <h2 ref={heading} id="new-client" tabIndex={-1}>
        Enter this in “{client_name}”
      </h2>
      <CopyField label="Issuer, or the address of the provider" value={location.origin} />
      <CopyField label="Client ID" value={client_id} />
      {client_secret === undefined ? (
        <>
          <p>This app has no secret.</p>
          <button type="button" className="button button-main" onClick={confirmation.onClose}>
            Close
          </button>
        </>
      ) : (
        <>
          <CopyField label="Client secret" value={client_secret} />
          <p>Copy the secret now. It is shown only this once: we store nothing that could show it again.</p>
          <StoredConfirmation label="I have stored it" closeLabel="Close" {...confirmation} />
        </>
      )}
    </section>
  )
}
