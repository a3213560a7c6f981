/**
 * `ironic-coreos`: the library's functions for whole tasks. They load their code when they are called, and use nothing of the
 * process: no environment, no streams, no signals. The modules of `src/library/` are the other entries of the package.
 */

export { CliError, FormatError, UsageError, errorCodes, type ErrorCode } from './core/errors.ts';
export type { Excerpt, FilePlace, Position } from './core/errors.ts';
export { formatPath } from './core/finding.ts';
export type { AffectedHost, Diagnostic, Finding, Path, Report, Severity } from './core/finding.ts';
export type { WorkProgress } from './io/io.ts';
export { ReportedError, type CallOptions } from './library/call.ts';
export { embed, type Embedded, type Embedding } from './library/embed.ts';
export { inspect } from './library/inspect.ts';
export type { InspectionReport } from './commands/inspect/inspectionReport.ts';
export { render, renderHosts } from './library/render.ts';
export type {
  HostInventory,
  InventoryEntry,
  RenderCallOptions,
  Rendered,
  RenderedHost,
  Settings,
} from './library/render.ts';
export { validate, type ValidateOptions } from './library/validate.ts';
