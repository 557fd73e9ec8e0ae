import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { SLUG_LENGTH_MAXIMUM } from '../../server/core/field-limits.ts'
import { authentication } from '../shared/api/authentication.ts'
import { organizationsQuery } from '../shared/api/queries.ts'
import { hasCode } from '../shared/api/request-failed.ts'
import { useAfterPause } from '../shared/api/typing-pause.ts'
import { Notice } from '../shared/components/Notice.tsx'
import { Field } from '../shared/forms/Field.tsx'
import { checkSlug } from '../shared/forms/organization-checks.ts'
import { VERBATIM } from '../shared/verbatim.ts'

type SlugFieldProps = {
  value: string
  /** The present slug of the organization. The field does not check this slug, because the organization may keep it. */
  ownSlug?: string
  onChange: (slug: string) => void
}

/**
 * The short name in addresses. After each pause in the typing, the page asks the service whether the name is free. An
 * organization of the user may have the name from an earlier request, whose response was lost.
 */
export function SlugField({ value, ownSlug, onChange }: SlugFieldProps) {
  const asked = useAfterPause(value)
  const { data: organizations } = useQuery(organizationsQuery)
  const own = organizations?.find(({ slug }) => slug === value && slug !== ownSlug)
  const isAsking = asked === value && asked !== ownSlug && own === undefined && checkSlug(asked) === null
  const { data: state } = useQuery({
    queryKey: ['slug', asked],
    queryFn: () => slugState(asked),
    enabled: isAsking,
    staleTime: 0,
  })
  return (
    <>
      <div className="slug-field">
        <Field
          name="slug"
          label="Short name in addresses"
          hint={hintOf(value, isAsking ? state : undefined)}
          check={(typed) => checkSlug(slugIn(typed))}
        >
          {(input) => (
            <input
              {...input}
              autoComplete="off"
              {...VERBATIM}
              value={value}
              onChange={({ target }) => onChange(replaceBySlug(target))}
            />
          )}
        </Field>
      </div>
      {own && (
        <Notice kind="information">
          <p>
            Your organization <Link href={`/organizations/${own.slug}`}>{own.name}</Link> has this short name.
          </p>
        </Notice>
      )}
    </>
  )
}

function slugIn(typed: string): string {
  return typed.trim().toLowerCase()
}

/** Replaces the text here: if React did so, the caret would jump to the end. */
function replaceBySlug(field: HTMLInputElement): string {
  const slug = slugIn(field.value)
  if (slug === field.value) return slug
  const before = field.value.slice(0, field.selectionStart ?? undefined)
  const caret = before.trimStart().toLowerCase().length
  field.value = slug
  field.setSelectionRange(caret, caret)
  return slug
}

/** A short name from a name: letters without accents, digits and hyphens. */
export function suggestSlug(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, SLUG_LENGTH_MAXIMUM)
    .replace(/-$/, '')
}

type SlugState = 'free' | 'taken' | 'reserved'

async function slugState(slug: string): Promise<SlugState> {
  try {
    await authentication.organization.checkSlug({ slug })
    return 'free'
  } catch (error) {
    if (hasCode(error, 'ORGANIZATION_SLUG_ALREADY_TAKEN')) return 'taken'
    if (hasCode(error, 'VALIDATION_ERROR')) return 'reserved'
    throw error
  }
}

function hintOf(value: string, state: SlugState | undefined): string {
  const address = `${location.host}/organizations/${value}`
  if (state === 'free') return `${address} is free.`
  if (state === 'taken') return `${address} belongs to another organization. Choose another one.`
  if (state === 'reserved') return `“${value}” is reserved. Choose another one.`
  return value === '' ? 'Lower-case letters, digits and hyphens.' : address
}
