import { useEffect, useRef } from 'react'
import { CopyField } from '../shared/components/CopyField.tsx'
import { type Confirmation, StoredConfirmation } from '../shared/components/StoredConfirmation.tsx'
import { day } from '../shared/format/moment.ts'
import { tokenCommand } from './curl-command.ts'
import type { CreatedApiKey } from './queries.ts'

type NewKeyProps = { apiKey: CreatedApiKey; slug: string; confirmation: Confirmation }

/** The text of a new API key, which no other page shows. */
export function NewKey({ apiKey: { name, key, expiresAt }, slug, confirmation }: NewKeyProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <section className="card" aria-labelledby="new-key">
      <h2 ref={heading} id="new-key" tabIndex={-1}>
        The API key “{name}”
      </h2>
      <p>
        Copy it now. It is shown only this once: we store nothing that could show it again.
        {expiresAt !== null && ` It expires on ${day(new Date(expiresAt))}.`}
      </p>
      <CopyField label="API key" value={key} />
      <CopyField label="Command that gets a token with it" value={tokenCommand(slug, key)} />
      <StoredConfirmation label="I have stored the key in a safe place" closeLabel="Close" {...confirmation} />
    </section>
  )
}
