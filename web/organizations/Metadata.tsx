import { ORGANIZATION_METADATA_BYTES_MAXIMUM } from '../../server/core/field-limits.ts'
import { Form } from '../shared/forms/Form.tsx'
import { OutdatedNotice } from '../shared/forms/OutdatedNotice.tsx'
import { TextArea } from '../shared/forms/TextArea.tsx'
import { useStoredTexts } from '../shared/forms/use-stored-texts.ts'
import type { Overview } from './queries.ts'
import { parseMetadata, updateOrganization } from './update-organization.ts'

/** All metadata as one JSON object, which replaces the stored object. */
export function Metadata({ organization }: { organization: Overview['organization'] }) {
  const stored = { metadata: JSON.stringify(parseMetadata(organization), null, 2) }
  const { field, outdated, save } = useStoredTexts(stored, joinJson)
  return (
    <>
      {outdated.length > 0 && <OutdatedNotice about="The stored metadata" />}
      <Form
        send={(value) => save(() => updateOrganization(organization, { metadata: JSON.parse(value('metadata')) }))}
        doneNotice={() => 'Saved.'}
        submitLabel="Save the metadata"
        pendingLabel="Saving…"
      >
        <TextArea
          name="metadata"
          label="An object in JSON, with the client code"
          hint="At most 8 KiB. It is for your services: only the client code is in tokens."
          {...field('metadata')}
          check={checkMetadata}
        />
      </Form>
    </>
  )
}

/** The service stores JSON without the spaces that the user types. */
function joinJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}

function checkMetadata(text: string): string | null {
  if (new TextEncoder().encode(joinJson(text)).length > ORGANIZATION_METADATA_BYTES_MAXIMUM)
    return 'This is longer than 8 KiB.'
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? null
      : 'Write an object: {"name": "value"}.'
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : ''}`
  }
}
