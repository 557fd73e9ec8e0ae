import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Application } from './Application.tsx'
import { ChunkFailed } from './shared/api/load-chunk.ts'
import { isTwoStepRequired } from './shared/api/queries.ts'

// The page explains a failed chunk and missing two-step verification. Any other error is a fault of the pages, so the
// console shows it.
const onCaughtError = (error: unknown) => {
  if (!(error instanceof ChunkFailed) && !isTwoStepRequired(error)) reportError(error)
}

createRoot(document.getElementById('root')!, { onCaughtError }).render(
  <StrictMode>
    <Application />
  </StrictMode>,
)
