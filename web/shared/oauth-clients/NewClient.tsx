import { useEffect, useRef, useState } from 'react'
import { CopyField } from '../components/CopyField.tsx'
import { useWarningBeforeLeaving } from '../routing/use-warning-before-leaving.ts'
import type { NewOAuthClient } from './clients.ts'

type NewClientProps = { client: NewOAuthClient; onClose: () => void }

/** The client id and the secret, which no other page shows. */
export function NewClient({ client: { client_id, client_name, client_secret }, onClose }: NewClientProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const [isStored, setStored] = useState(client_secret === undefined)
  useWarningBeforeLeaving(!isStored)
  useEffect(() => heading.current?.focus(), [])
  return (
    <section className="card" aria-labelledby="new-client">
      <h2 ref={heading} id="new-client" tabIndex={-1}>
        Enter this in “{client_name}”
      </h2>
      <CopyField label="Issuer, or the address of the provider" value={location.origin} />
      <CopyField label="Client ID" value={client_id} />
      {client_secret === undefined ? (
        <p>This app has no secret.</p>
      ) : (
        <>
          <CopyField label="Client secret" value={client_secret} />
          <p>Copy the secret now. It is shown only this once: we store nothing that could show it again.</p>
          <label className="checkbox">
            <input type="checkbox" checked={isStored} onChange={({ target }) => setStored(target.checked)} />
            <span>I have stored it</span>
          </label>
        </>
      )}
      <button type="button" className="button button-main" disabled={!isStored} onClick={onClose}>
        Close
      </button>
    </section>
  )
}
