import { CLIENT_CODE_LENGTH_MAXIMUM } from '../../server/core/field-limits.ts'
import { useCaller } from '../shared/api/caller.ts'
import { Form } from '../shared/forms/Form.tsx'
import { OutdatedNotice } from '../shared/forms/OutdatedNotice.tsx'
import { TextField } from '../shared/forms/TextField.tsx'
import { useStoredTexts } from '../shared/forms/use-stored-texts.ts'
import type { Overview } from './queries.ts'
import { parseMetadata, updateOrganization } from './update-organization.ts'

/** The client code is a part of the metadata and of every token. The form also shows the claims of the next token. */
export function ClientCode({ overview }: { overview: Overview }) {
  const { organization, clientCode } = overview
  const { field, outdated, save } = useStoredTexts({ code: clientCode ?? '' })
  const typed = field('code').value

  /** Other metadata stays. */
  function store(code: string) {
    const { 'client-code': _former, ...others } = parseMetadata(organization)
    return updateOrganization(organization, { metadata: code === '' ? others : { ...others, 'client-code': code } })
  }

  return (
    <>
      <p className="soft">Your services can read it from each token, for example the number of this customer.</p>
      {outdated.length > 0 && <OutdatedNotice about="The client code" />}
      <Form
        send={(value) => save(() => store(value('code').trim()))}
        sentences={{ VALIDATION_ERROR: 'There is no room for it: the metadata may have at most 8 KiB in all.' }}
        doneNotice={() => 'Saved.'}
        submitLabel="Save the client code"
        pendingLabel="Saving…"
      >
        <TextField
          name="code"
          label="Client code"
          content="code"
          isOptional
          autoComplete="off"
          {...field('code')}
          hint={`At most ${CLIENT_CODE_LENGTH_MAXIMUM} characters. Empty: none.`}
          check={(value) =>
            value.trim().length > CLIENT_CODE_LENGTH_MAXIMUM
              ? `Use at most ${CLIENT_CODE_LENGTH_MAXIMUM} characters.`
              : null
          }
        />
      </Form>
      <TokenPreview overview={overview} code={typed === (clientCode ?? '') ? clientCode : typed.trim() || null} />
    </>
  )
}

function TokenPreview({ overview: { organization, role }, code }: { overview: Overview; code: string | null }) {
  const { user } = useCaller()
  const claims = {
    sub: user.id,
    email: user.email,
    org_id: organization.id,
    org_slug: organization.slug,
    org_role: role,
    org_meta: { 'client-code': code },
  }
  return (
    <figure className="token">
      <figcaption>In your next token (shortened)</figcaption>
      <pre className="sample">{JSON.stringify(claims, null, 2)}</pre>
    </figure>
  )
}
