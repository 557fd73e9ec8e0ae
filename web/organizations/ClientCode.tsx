import { useState } from 'react'
import { useCaller } from '../shared/api/caller.ts'
import { Form } from '../shared/forms/Form.tsx'
import { TextField } from '../shared/forms/TextField.tsx'
import type { Overview } from './queries.ts'
import { parseMetadata, updateOrganization } from './update-organization.ts'

const MOST_CHARACTERS = 100

/** A part of the metadata that every token contains. Beside it, the claims of the next token. */
export function ClientCode({ overview }: { overview: Overview }) {
  const { organization, clientCode } = overview
  const [typed, setTyped] = useState<string | null>(null)
  const code = typed ?? clientCode ?? ''

  function save() {
    const { 'client-code': _former, ...others } = parseMetadata(organization)
    return updateOrganization(organization, { metadata: code === '' ? others : { ...others, 'client-code': code } })
  }

  return (
    <>
      <p className="soft">Your services can read it from each token, for example the number of this customer.</p>
      <div onInput={({ target }) => target instanceof HTMLInputElement && setTyped(target.value)}>
        <Form
          send={save}
          onDone={() => setTyped(null)}
          doneNotice={() => 'Saved.'}
          submitLabel="Save the client code"
          pendingLabel="Saving…"
        >
          <TextField
            key={clientCode}
            name="code"
            label="Client code"
            autoComplete="off"
            defaultValue={clientCode ?? ''}
            hint={`At most ${MOST_CHARACTERS} characters. Empty: none.`}
            check={(value) => (value.length > MOST_CHARACTERS ? `Use at most ${MOST_CHARACTERS} characters.` : null)}
          />
        </Form>
      </div>
      <TokenPreview overview={overview} code={code} />
    </>
  )
}

function TokenPreview({ overview: { organization, role }, code }: { overview: Overview; code: string }) {
  const { user } = useCaller()
  const claims = {
    sub: user.id,
    email: user.email,
    org_id: organization.id,
    org_slug: organization.slug,
    org_role: role,
    org_meta: { 'client-code': code === '' ? null : code },
  }
  return (
    <figure className="token">
      <figcaption>In your next token (shortened)</figcaption>
      <pre className="sample">{JSON.stringify(claims, null, 2)}</pre>
    </figure>
  )
}
