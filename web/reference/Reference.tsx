import './reference.css'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocationProperty } from 'wouter/use-browser-location'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Heading } from '../shared/components/Heading.tsx'
import { Loading } from '../shared/components/Loading.tsx'
import { Wordmark } from '../shared/components/Wordmark.tsx'
import { counted } from '../shared/format/number.ts'
import { VERBATIM } from '../shared/verbatim.ts'
import { OperationDetails } from './OperationDetails.tsx'
import { openApiQuery } from './openapi.ts'
import { matching, operationsOf } from './operations.ts'

const GROUPS: Record<string, string> = {
  account: 'Sessions, passwords and the account',
  organization: 'Organizations',
  passkey: 'Passkeys',
  admin: 'Staff',
  'api-key': 'API keys',
  oauth2: 'OpenID Connect, apps and devices',
  entry: 'Tokens, browser entry and health',
}

export function Reference() {
  const { data: openApi, error, isPending, refetch } = useQuery(openApiQuery)
  const [search, setSearch] = useState('')
  const fragment = useLocationProperty(() => location.hash.slice(1))
  const found = openApi ? matching(operationsOf(openApi), search) : []
  const tags = [...new Set([...Object.keys(GROUPS), ...found.map(({ tag }) => tag)])]

  return (
    <div className="page page-sections page-wide">
      <header>
        <Wordmark />
      </header>
      <main>
        <Heading>API reference</Heading>
        <p className="lead">
          Every endpoint of this service, from its own <a href="/api/auth/openapi.json">OpenAPI document</a>. Bodies and
          responses are JSON. An error has a <code>code</code> for programs and a <code>message</code> for users.
        </p>
        {isPending && <Loading />}
        {error && <FailureNotice error={error} retry={refetch} />}
        {openApi && <SearchField search={search} onSearch={setSearch} count={found.length} />}
        {tags.map((tag) => {
          const operations = found.filter((operation) => operation.tag === tag)
          if (operations.length === 0) return null
          return (
            <section key={tag} className="card operations" aria-labelledby={`group-${tag}`}>
              <h2 id={`group-${tag}`}>{GROUPS[tag] ?? tag}</h2>
              {operations.map((operation) => (
                <OperationDetails
                  key={operation.id}
                  operation={operation}
                  baseUrl={openApi?.servers[0]?.url ?? ''}
                  isLinked={fragment === operation.id}
                />
              ))}
            </section>
          )
        })}
      </main>
    </div>
  )
}

type SearchFieldProps = { search: string; onSearch: (search: string) => void; count: number }

function SearchField({ search, onSearch, count }: SearchFieldProps) {
  return (
    <search className="field">
      <label htmlFor="search">Search</label>
      <input
        id="search"
        type="search"
        className="input"
        placeholder="sign-in, email, INVALID_TOKEN …"
        {...VERBATIM}
        value={search}
        onChange={(event) => onSearch(event.target.value)}
      />
      <p className="hint" role="status">
        {counted(count, 'endpoint')}
      </p>
    </search>
  )
}
