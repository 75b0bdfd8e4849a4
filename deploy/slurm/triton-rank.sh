#!/usr/bin/env bash
# One rank of a TensorRT-LLM engine: srun starts it once per GPU (trtllm-multi-node.sbatch). The first rank answers, the
# others load the engine alone, as TensorRT-LLM's own launch script has it.
set -euo pipefail

: "${SLURM_PROCID:?started by srun}" "${REPOSITORY:?}" "${ENGINE_MODEL:?}" "${GRPC_PORT:?}"

options=(
  "--model-repository=$REPOSITORY"
  --disable-auto-complete-config
  "--backend-config=python,shm-region-prefix-name=rank${SLURM_PROCID}_"
)
if [ "$SLURM_PROCID" -eq 0 ]; then
  options+=(--exit-on-error=false "--grpc-port=$GRPC_PORT")
else
  options+=(--model-control-mode=explicit "--load-model=$ENGINE_MODEL")
  options+=(--allow-grpc=false --allow-http=false --allow-metrics=false)
fi
exec tritonserver "${options[@]}"
